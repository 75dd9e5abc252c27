package io.weirmq.storage.internal.segment;

/**
 * What is remembered of a transaction index, so that one that was lost or damaged is noticed.
 * Immutable.
 *
 * <p>It may be older than the index: entries are only ever added to one, so it holds where the
 * index begins with these entries. Where it doesn't, the index is made anew from the batches; a
 * record that is wrong costs a scan of one segment and nothing else.
 *
 * @param baseOffset of the segment
 * @param entryCount number of entries, above 0
 * @param checksum CRC-32C of these entries
 */
public record TransactionIndexRecord(long baseOffset, int entryCount, int checksum) {

  /** Checks the parts. */
  public TransactionIndexRecord {
    if (baseOffset < 0 || entryCount < 1) {
      throw new IllegalArgumentException(
          "%d entries of the segment from offset %d on: expected one or more, from 0 on or later"
              .formatted(entryCount, baseOffset));
    }
  }
}
