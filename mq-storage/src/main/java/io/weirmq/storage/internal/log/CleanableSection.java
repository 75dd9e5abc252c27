package io.weirmq.storage.internal.log;

/**
 * The part of a log that compaction may rewrite now. Immutable.
 *
 * <pre>
 *   segments  0 ................ | ............ count | count+1 ... active
 *   offsets     compacted before | firstDirty   end   | too new, undecided, or written
 * </pre>
 *
 * @param segments the log's segments when this was worked out
 * @param count how many of them, from the first, may be rewritten; the active one never
 * @param firstDirtyOffset below it the log was compacted before
 * @param endOffset offset behind the last segment that may be rewritten
 * @param cleanBytes size of the segments below the first dirty offset
 * @param dirtyBytes size of the others that may be rewritten
 * @param overdue whether a record in them is older than {@code max.compaction.lag.ms}
 * @param rollDue whether one in the active segment is
 * @param cuts how often the log was cut or compacted before
 */
public record CleanableSection(
    SegmentList segments,
    int count,
    long firstDirtyOffset,
    long endOffset,
    long cleanBytes,
    long dirtyBytes,
    boolean overdue,
    boolean rollDue,
    int cuts) {

  /** Whether something in it is new. */
  public boolean isDirty() {
    return dirtyBytes > 0 && firstDirtyOffset < endOffset;
  }
}
