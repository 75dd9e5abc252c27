package io.weirmq.index;

import java.io.IOException;

/**
 * The sparse offset index of a segment: from offsets to positions in the log file.
 *
 * <pre>
 *   0       4       8       12      16
 *   +-------+-------+-------+-------+--
 *   | rel.  | posi- | rel.  | posi- |      big-endian, 8 bytes an entry
 *   | offset| tion  | offset| tion  |
 *   +-------+-------+-------+-------+--
 * </pre>
 *
 * <p>An entry pairs the <em>last</em> offset of a batch, relative to the segment's base offset,
 * with the position at which that batch <em>starts</em>. The first batch of a segment has no entry.
 * There is no checksum: whoever follows an entry checks that a batch with that last offset starts
 * there, and rebuilds the index where not.
 *
 * <p>Invariants: offsets and positions rise strictly; offsets are above the base offset, by at most
 * 2^31-1.
 *
 * <p>Single writer, many readers: {@link #append}, {@link #flush}, {@link #truncateTo}, {@link
 * #trim}, {@link #force} and {@link #close} belong to the writer.
 */
public final class OffsetIndex implements AutoCloseable {

  /** Size of an entry in bytes. */
  public static final int ENTRY_BYTES = 8;

  /** Entries of a page, the unit in which entries are read and written. */
  public static final int PAGE_ENTRIES = EntryTable.PAGE_ENTRIES;

  private final EntryTable table;
  private final long baseOffset;
  private long lastOffset;
  private int lastPosition;

  private OffsetIndex(EntryTable table, long baseOffset, long lastOffset, int lastPosition) {
    this.table = table;
    this.baseOffset = baseOffset;
    this.lastOffset = lastOffset;
    this.lastPosition = lastPosition;
  }

  /**
   * Opens an index that keeps one page in memory, see {@link #open(IndexFile, long, PageBudget)}.
   */
  public static OffsetIndex open(IndexFile file, long baseOffset) throws IOException {
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
  public static OffsetIndex open(IndexFile file, long baseOffset, PageBudget budget)
      throws IOException {
    EntryTable table = EntryTable.open(file, EntryLayout.OFFSET, budget);
    try {
      return of(table, baseOffset);
    } catch (IOException e) {
      table.forget();
      throw e;
    }
  }

  private static OffsetIndex of(EntryTable table, long baseOffset) throws IOException {
    int count = table.count();
    if (count == 0) {
      return new OffsetIndex(table, baseOffset, baseOffset, 0);
    }
    long relativeOffset = table.key(count - 1);
    int position = table.value(count - 1);
    if (relativeOffset <= 0 || position <= 0) {
      throw new CorruptIndexException(
          "%s entry %d has relative offset %d and position %d; both must be above 0"
              .formatted(table.file().name(), count - 1, relativeOffset, position));
    }
    return new OffsetIndex(table, baseOffset, baseOffset + relativeOffset, position);
  }

  /** The base offset of the segment. */
  public long baseOffset() {
    return baseOffset;
  }

  /** The number of entries. */
  public int count() {
    return table.count();
  }

  /**
   * Returns whether another entry would make the file larger than allowed.
   *
   * @param maxBytes {@code segment.index.bytes}
   * @param pending entries that may come before the one that is asked for
   */
  public boolean isFull(int maxBytes, int pending) {
    return count() + pending >= maxBytes / ENTRY_BYTES;
  }

  /** Returns whether an offset can be written relative to a base offset. */
  public static boolean fits(long baseOffset, long offset) {
    return offset >= baseOffset && offset - baseOffset <= Integer.MAX_VALUE;
  }

  /**
   * Returns the number of the last entry whose offset is at or below an offset; -1 where none is,
   * so that the scan begins at the start of the segment.
   *
   * <p>Takes at most one read per halving of the number of pages, none where the entry is on the
   * page that was used last. An entry that is added meanwhile may be missed.
   *
   * @throws IOException where the file can't be read
   */
  public int floorEntry(long offset) throws IOException {
    return offset < baseOffset ? -1 : table.floor(offset - baseOffset);
  }

  /**
   * Returns the offset of an entry, which is the last offset of a batch.
   *
   * @param entry from 0 to {@link #count()} - 1
   * @throws IOException where the file can't be read
   */
  public long offset(int entry) throws IOException {
    return baseOffset + table.key(entry);
  }

  /**
   * Returns the position of an entry, which is the start of that batch in the log file.
   *
   * @param entry from 0 to {@link #count()} - 1
   * @throws IOException where the file can't be read
   */
  public int position(int entry) throws IOException {
    return table.value(entry);
  }

  /** The offset of the last entry; the base offset where there is none. Writer only. */
  public long lastOffset() {
    return lastOffset;
  }

  /** The position of the last entry; 0 where there is none. Writer only. */
  public int lastPosition() {
    return lastPosition;
  }

  /**
   * Appends an entry. It is on the heap until its page is full or {@link #flush()} is called.
   *
   * @param offset last offset of a batch, above that of the last entry
   * @param position where the batch starts, above that of the last entry
   * @throws IllegalArgumentException where one of them does not rise or the offset is too far from
   *     the base offset
   * @throws IOException where a full page can't be written; the entry is not added
   */
  public void append(long offset, int position) throws IOException {
    if (offset <= lastOffset || position <= lastPosition || !fits(baseOffset, offset)) {
      throw new IllegalArgumentException(
          "%s: entry %d -> %d does not follow %d -> %d of base offset %d"
              .formatted(
                  table.file().name(), offset, position, lastOffset, lastPosition, baseOffset));
    }
    table.append(offset - baseOffset, position);
    lastOffset = offset;
    lastPosition = position;
  }

  /**
   * Drops the entries at and above an offset.
   *
   * @throws IOException where the file can't be read or cut
   */
  public void truncateTo(long offset) throws IOException {
    int kept = floorEntry(offset - 1) + 1;
    table.truncate(kept);
    lastOffset = kept == 0 ? baseOffset : offset(kept - 1);
    lastPosition = kept == 0 ? 0 : position(kept - 1);
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
