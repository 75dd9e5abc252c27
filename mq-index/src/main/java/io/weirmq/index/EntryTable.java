package io.weirmq.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A table of entries with strictly rising keys: the older ones in a file, the newest on the heap.
 *
 * <pre>
 *   entry number   0 ........................ persisted ........ count
 *                  |---------- file ----------|---- tail page ----|
 *                         ^ one page of it is remembered, and of the others the first key
 * </pre>
 *
 * <p>A lookup in the file is a binary search over the pages' first keys, which are read when they
 * are first needed, then one page. So the cost of a lookup does not grow with the file: one page is
 * read, whatever its size. The first keys take 8 bytes per 512 entries: 20 KiB for an index of 10
 * MiB.
 *
 * <p>Invariants: keys rise strictly; entries of the file below {@code persistedCount} never change,
 * except by {@link #truncate}; the tail page begins at {@code persistedCount}. Single writer, many
 * readers.
 */
final class EntryTable {

  /** Entries per page. 512 entries of 8 bytes are 4 KiB, what a disk reads anyway. */
  static final int PAGE_ENTRIES = 512;

  /** A new tail page is small: most logs at rest never fill one. */
  private static final int FIRST_TAIL_ENTRIES = 16;

  private final IndexFile file;
  private final EntryLayout layout;
  private volatile View view;

  /** What readers look at. It is replaced as a whole, so that a remembered page is never stale. */
  private static final class View {
    final EntryPage tail;

    /** The last page read from the file. A benign race: any page of the same view is right. */
    volatile @Nullable EntryPage remembered;

    /**
     * First keys of the pages in the file. A benign race: what one reader loses, it reads again.
     */
    volatile PageKeys pageKeys;

    View(EntryPage tail, @Nullable EntryPage remembered, PageKeys pageKeys) {
      this.tail = tail;
      this.remembered = remembered;
      this.pageKeys = pageKeys;
    }
  }

  private EntryTable(IndexFile file, EntryLayout layout, int persistedCount) {
    this.file = file;
    this.layout = layout;
    this.view = new View(EntryPage.empty(layout, persistedCount, 0), null, PageKeys.NONE);
  }

  /**
   * Opens a table. Entries of zeros behind the last real one (a file that was preallocated and
   * never trimmed) don't count.
   */
  static EntryTable open(IndexFile file, EntryLayout layout) throws IOException {
    long size = file.size();
    if (size % layout.entryBytes() != 0 || size > Integer.MAX_VALUE) {
      throw new CorruptIndexException(
          "%s has %d bytes; expected a multiple of %d, %d at most"
              .formatted(file.name(), size, layout.entryBytes(), Integer.MAX_VALUE));
    }
    int wholeCount = (int) size / layout.entryBytes();
    EntryTable asStored = new EntryTable(file, layout, wholeCount);
    int count = asStored.countWithoutPadding(wholeCount);
    return count == wholeCount ? asStored : new EntryTable(file, layout, count);
  }

  private int countWithoutPadding(int wholeCount) throws IOException {
    if (wholeCount == 0 || !isZero(wholeCount - 1)) {
      return wholeCount;
    }
    int low = 0;
    int high = wholeCount - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isZero(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private boolean isZero(int entry) throws IOException {
    return key(entry) == 0 && value(entry) == 0;
  }

  IndexFile file() {
    return file;
  }

  int count() {
    EntryPage tail = view.tail;
    return tail.firstEntry() + tail.countAcquire();
  }

  long key(int entry) throws IOException {
    return pageOf(view, entry).key(entry);
  }

  int value(int entry) throws IOException {
    return pageOf(view, entry).value(entry);
  }

  /** Returns the number of the last entry whose key is at or below a key; -1 where none is. */
  int floor(long key) throws IOException {
    View current = view;
    EntryPage tail = current.tail;
    int tailCount = tail.countAcquire();
    if (tailCount > 0 && tail.key(tail.firstEntry()) <= key) {
      return floorIn(tail, tail.firstEntry() + tailCount, key);
    }
    return floorInFile(current, tail.firstEntry(), key);
  }

  private int floorInFile(View current, int persistedCount, long key) throws IOException {
    EntryPage remembered = current.remembered;
    if (remembered != null && holdsFloor(remembered, persistedCount, key)) {
      return floorIn(remembered, remembered.firstEntry() + remembered.countAcquire(), key);
    }
    int low = 0;
    int pages = (persistedCount + PAGE_ENTRIES - 1) / PAGE_ENTRIES;
    int high = pages - 1;
    PageKeys keys = pageKeys(current, pages);
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (firstKey(keys, middle) <= key) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (high < 0) {
      return -1;
    }
    EntryPage page = wholePage(current, low * PAGE_ENTRIES, persistedCount);
    return floorIn(page, page.firstEntry() + page.countAcquire(), key);
  }

  /** The page of the file that begins at an entry, with all that is persisted of it by now. */
  private EntryPage wholePage(View current, int firstEntry, int persistedCount) throws IOException {
    EntryPage remembered = current.remembered;
    int end = Math.min(firstEntry + PAGE_ENTRIES, persistedCount);
    if (remembered != null
        && remembered.firstEntry() == firstEntry
        && firstEntry + remembered.countAcquire() == end) {
      return remembered;
    }
    EntryPage page = readPage(firstEntry, persistedCount);
    current.remembered = page;
    return page;
  }

  private static boolean holdsFloor(EntryPage page, int persistedCount, long key) {
    int end = page.firstEntry() + page.countAcquire();
    return page.key(page.firstEntry()) <= key && (key < page.key(end - 1) || end == persistedCount);
  }

  private static PageKeys pageKeys(View current, int pages) {
    PageKeys keys = current.pageKeys;
    if (!keys.covers(pages)) {
      keys = keys.grown(pages);
      current.pageKeys = keys;
    }
    return keys;
  }

  private long firstKey(PageKeys keys, int page) throws IOException {
    long key = keys.get(page);
    if (key == PageKeys.UNKNOWN) {
      key = readKey(page * PAGE_ENTRIES);
      keys.put(page, key);
    }
    return key;
  }

  private long readKey(int entry) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(layout.entryBytes());
    file.read(into, (long) entry * layout.entryBytes());
    ensureWhole(into, entry);
    return layout.key(into, 0);
  }

  private static int floorIn(EntryPage page, int end, long key) {
    int low = page.firstEntry() - 1;
    int high = end - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (page.key(middle) <= key) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    // Below the first entry of a later page can't be: that page was chosen by its first key.
    return low;
  }

  private EntryPage pageOf(View current, int entry) throws IOException {
    if (current.tail.contains(entry)) {
      return current.tail;
    }
    int persistedCount = current.tail.firstEntry();
    if (entry < 0 || entry >= persistedCount) {
      throw new IndexOutOfBoundsException(
          "entry %d of %s, which has %d".formatted(entry, file.name(), count()));
    }
    EntryPage remembered = current.remembered;
    if (remembered != null && remembered.contains(entry)) {
      return remembered;
    }
    EntryPage page = readPage(entry / PAGE_ENTRIES * PAGE_ENTRIES, persistedCount);
    current.remembered = page;
    return page;
  }

  private EntryPage readPage(int firstEntry, int persistedCount) throws IOException {
    int entryCount = Math.min(PAGE_ENTRIES, persistedCount - firstEntry);
    ByteBuffer bytes = ByteBuffer.allocate(entryCount * layout.entryBytes());
    file.read(bytes, (long) firstEntry * layout.entryBytes());
    ensureWhole(bytes, firstEntry);
    return new EntryPage(layout, firstEntry, bytes, entryCount);
  }

  private void ensureWhole(ByteBuffer bytes, int firstEntry) throws CorruptIndexException {
    if (bytes.hasRemaining()) {
      throw new CorruptIndexException(
          "%s ends at position %d; entries up to position %d expected"
              .formatted(
                  file.name(),
                  (long) firstEntry * layout.entryBytes() + bytes.position(),
                  (long) firstEntry * layout.entryBytes() + bytes.capacity()));
    }
  }

  /** Appends an entry; writes the tail page out first where it is full. */
  void append(long key, int value) throws IOException {
    EntryPage tail = view.tail;
    int tailCount = tail.countAcquire();
    if (tailCount == tail.capacity()) {
      tail = makeRoom(tail, tailCount);
    }
    tail.append(key, value);
  }

  private EntryPage makeRoom(EntryPage tail, int tailCount) throws IOException {
    if (tailCount == PAGE_ENTRIES) {
      flush();
      tail = view.tail;
      tailCount = 0;
    }
    int capacity = Math.min(PAGE_ENTRIES, Math.max(FIRST_TAIL_ENTRIES, tailCount * 2));
    EntryPage roomy = tail.copy(tailCount, capacity);
    view = new View(roomy, view.remembered, view.pageKeys);
    return roomy;
  }

  /** Writes the tail page to the file and drops it from the heap. */
  void flush() throws IOException {
    EntryPage tail = view.tail;
    int tailCount = tail.countAcquire();
    if (tailCount == 0) {
      return;
    }
    file.write(tail.bytesFrom(tail.firstEntry()), fileBytes(tail.firstEntry()));
    // Readers that still hold the old view find the same entries in its page.
    view =
        new View(
            EntryPage.empty(layout, tail.firstEntry() + tailCount, 0),
            view.remembered,
            view.pageKeys);
  }

  /** Drops the entries from a number on. */
  void truncate(int count) throws IOException {
    EntryPage tail = view.tail;
    if (count >= tail.firstEntry()) {
      int kept = Math.min(count - tail.firstEntry(), tail.countAcquire());
      view = new View(tail.copy(kept, kept), view.remembered, view.pageKeys);
    } else {
      file.truncate(fileBytes(count));
      view = new View(EntryPage.empty(layout, count, 0), null, PageKeys.NONE);
    }
  }

  /** Cuts padding off the file; the entries stay. */
  void trim() throws IOException {
    flush();
    file.truncate(fileBytes(view.tail.firstEntry()));
  }

  /** Writes the tail page out and closes the file, also where the write fails. */
  void close() throws IOException {
    try {
      flush();
    } catch (IOException e) {
      closeAfter(e);
      throw e;
    }
    file.close();
  }

  private void closeAfter(IOException cause) {
    try {
      file.close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  private long fileBytes(int entryCount) {
    return (long) entryCount * layout.entryBytes();
  }
}
