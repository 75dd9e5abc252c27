package io.weirmq.index;

import java.io.IOException;

/**
 * The sparse time index of a segment: from timestamps to offsets.
 *
 * <pre>
 *   0               8       12
 *   +---------------+-------+--
 *   | timestamp, ms | rel.  |              big-endian, 12 bytes an entry
 *   |               | offset|
 *   +---------------+-------+--
 * </pre>
 *
 * <p>An entry says: up to where it was written, the largest timestamp of the segment was this, and
 * the last offset of the batch that had it first is that. So a record with a timestamp at or above
 * {@code t} can't lie before the batch of the last entry at or below {@code t}. Entries are added
 * at the moments when the offset index gets one, and a last one when the segment is closed; one
 * that would not raise the timestamp is left out.
 *
 * <p>Invariants: timestamps rise strictly; offsets don't fall.
 *
 * <p>Single writer, many readers, as {@link OffsetIndex}.
 */
public final class TimeIndex implements AutoCloseable {

  /** Size of an entry in bytes. */
  public static final int ENTRY_BYTES = 12;

  /** The timestamp before the first entry. */
  public static final long NO_TIMESTAMP = -1;

  private final EntryTable table;
  private final long baseOffset;
  private long lastTimestamp;
  private long lastOffset;

  private TimeIndex(EntryTable table, long baseOffset, long lastTimestamp, long lastOffset) {
    this.table = table;
    this.baseOffset = baseOffset;
    this.lastTimestamp = lastTimestamp;
    this.lastOffset = lastOffset;
  }

  /**
   * Opens an index that keeps one page in memory, see {@link #open(IndexFile, long, PageBudget)}.
   */
  public static TimeIndex open(IndexFile file, long baseOffset) throws IOException {
    return open(file, baseOffset, new PageBudget(0));
  }

  /**
   * Opens an index.
   *
   * <p>Entries of zeros at the end (a file that was preallocated and not trimmed) are ignored.
   *
   * @param file is closed by {@link #close()}
   * @param baseOffset base offset of the segment
   * @param budget bounds what is kept of the file in memory
   * @throws CorruptIndexException where the file ends in half an entry, or its last one can't be of
   *     this segment
   * @throws IOException where the file can't be read
   */
  public static TimeIndex open(IndexFile file, long baseOffset, PageBudget budget)
      throws IOException {
    EntryTable table = EntryTable.open(file, EntryLayout.TIME, budget);
    try {
      return of(table, baseOffset);
    } catch (IOException e) {
      table.forget();
      throw e;
    }
  }

  private static TimeIndex of(EntryTable table, long baseOffset) throws IOException {
    int count = table.count();
    if (count == 0) {
      return new TimeIndex(table, baseOffset, NO_TIMESTAMP, baseOffset);
    }
    long timestamp = table.key(count - 1);
    int relativeOffset = table.value(count - 1);
    if (timestamp < 0 || relativeOffset < 0 || timestamp < table.key(0)) {
      throw new CorruptIndexException(
          "%s entry %d has timestamp %d (the first has %d) and relative offset %d; expected a"
                  .formatted(
                      table.file().name(), count - 1, timestamp, table.key(0), relativeOffset)
              + " timestamp that is not below the first and an offset of 0 or more");
    }
    return new TimeIndex(table, baseOffset, timestamp, baseOffset + relativeOffset);
  }

  /** The number of entries. */
  public int count() {
    return table.count();
  }

  /**
   * Returns whether the file is full. One entry more is always possible: the one that closes the
   * segment.
   *
   * @param maxBytes {@code segment.index.bytes}
   * @param pending entries that may come before the one that is asked for
   */
  public boolean isFull(int maxBytes, int pending) {
    return count() + pending >= maxBytes / ENTRY_BYTES - 1;
  }

  /**
   * Returns the number of the last entry whose timestamp is at or below a time; -1 where none is,
   * so that the scan begins at the start of the segment.
   *
   * @throws IOException where the file can't be read
   */
  public int floorEntry(long timestampMs) throws IOException {
    return table.floor(timestampMs);
  }

  /**
   * Returns the timestamp of an entry.
   *
   * @param entry from 0 to {@link #count()} - 1
   * @throws IOException where the file can't be read
   */
  public long timestampMs(int entry) throws IOException {
    return table.key(entry);
  }

  /**
   * Returns the offset of an entry: the last one of the batch that has the timestamp.
   *
   * @param entry from 0 to {@link #count()} - 1
   * @throws IOException where the file can't be read
   */
  public long offset(int entry) throws IOException {
    return baseOffset + table.value(entry);
  }

  /** The timestamp of the last entry; -1 where there is none. Writer only. */
  public long lastTimestampMs() {
    return lastTimestamp;
  }

  /** The offset of the last entry; the base offset where there is none. Writer only. */
  public long lastOffset() {
    return lastOffset;
  }

  /**
   * Appends an entry where it raises the timestamp, else does nothing.
   *
   * @param timestampMs largest timestamp of the segment so far
   * @param offset last offset of the first batch that has it
   * @return whether an entry was added
   * @throws IllegalArgumentException where the timestamp rises and the offset falls, or is too far
   *     from the base offset
   * @throws IOException where a full page can't be written; the entry is not added
   */
  public boolean append(long timestampMs, long offset) throws IOException {
    if (timestampMs <= lastTimestamp) {
      return false;
    }
    if (offset < lastOffset || !OffsetIndex.fits(baseOffset, offset)) {
      throw new IllegalArgumentException(
          "%s: entry %d -> %d does not follow %d -> %d of base offset %d"
              .formatted(
                  table.file().name(), timestampMs, offset, lastTimestamp, lastOffset, baseOffset));
    }
    table.append(timestampMs, (int) (offset - baseOffset));
    lastTimestamp = timestampMs;
    lastOffset = offset;
    return true;
  }

  /**
   * Drops the entries whose offset is at or above an offset.
   *
   * @throws IOException where the file can't be read or cut
   */
  public void truncateTo(long offset) throws IOException {
    int low = 0;
    int high = count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (offset(middle) >= offset) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    table.truncate(low);
    lastTimestamp = low == 0 ? NO_TIMESTAMP : timestampMs(low - 1);
    lastOffset = low == 0 ? baseOffset : offset(low - 1);
  }

  /**
   * Writes what is on the heap to the file.
   *
   * @throws IOException where the disk refuses; the entries stay on the heap
   */
  public void flush() throws IOException {
    table.flush();
  }

  /**
   * Writes what is on the heap and cuts off whatever lies behind the last entry.
   *
   * @throws IOException where the disk refuses
   */
  public void trim() throws IOException {
    table.trim();
  }

  /**
   * Writes what is on the heap and makes the file durable.
   *
   * @throws IOException where the disk refuses
   */
  public void force() throws IOException {
    table.flush();
    table.file().force();
  }

  /** Writes what is on the heap and closes the file, also where the write fails. */
  @Override
  public void close() throws IOException {
    table.close();
  }

  /** The file's name and the number of entries, for messages. */
  @Override
  public String toString() {
    return table.file().name() + " (" + count() + " entries)";
  }
}
