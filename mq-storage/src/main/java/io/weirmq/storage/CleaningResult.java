package io.weirmq.storage;

/** What became of a run of compaction. */
public sealed interface CleaningResult {

  /** There was nothing new that may be compacted. */
  record NothingToDo() implements CleaningResult {}

  /**
   * The run was given up; the log is as it was, but for groups of segments that were done. The next
   * run begins where this one did.
   *
   * @param reason that the cleaner stops, or what happened to the log
   */
  record Interrupted(String reason) implements CleaningResult {}

  /**
   * The log is compacted up to an offset. Sizes are in bytes, times in milliseconds.
   *
   * @param firstDirtyOffset where records were new before
   * @param endOffset where they are now
   * @param mapFull whether the run ended there because the map of keys was full
   * @param keys keys in the map
   * @param mapBytes memory of the map
   * @param bufferBytes memory of the buffers
   * @param segmentsBefore segments that were read
   * @param segmentsAfter segments that took their place
   * @param sizeBefore size of those that were read
   * @param sizeAfter size of those in their place
   * @param recordsRead records that were read in the second pass
   * @param recordsKept records of these that stayed
   * @param bytesRead what was read in both passes
   * @param bytesWritten what was written
   * @param mapMs time of the first pass
   * @param totalMs time of the run
   */
  record Cleaned(
      long firstDirtyOffset,
      long endOffset,
      boolean mapFull,
      int keys,
      long mapBytes,
      long bufferBytes,
      int segmentsBefore,
      int segmentsAfter,
      long sizeBefore,
      long sizeAfter,
      long recordsRead,
      long recordsKept,
      long bytesRead,
      long bytesWritten,
      long mapMs,
      long totalMs)
      implements CleaningResult {}
}
