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
 *                         ^ some pages of it are in memory
 * </pre>
 *
 * <p>A lookup in the file is a binary search over the pages' first keys, which are read when they
 * are first needed, then one page, which is kept where the budget allows it. So a lookup reads one
 * page at most, whatever the size of the file. The first keys take 12 bytes per 512 entries: 30 KiB
 * for an index of 10 MiB.
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
  private final PageBudget budget;
  private volatile View view;

  /** What readers look at. It is replaced as a whole, so that a remembered page is never stale. */
  private static final class View {
    final EntryPage tail;

    /** The last page read from the file. A benign race: any page of the same view is right. */
    volatile @Nullable EntryPage remembered;

    final KnownPages known;

    View(EntryPage tail, @Nullable EntryPage remembered, KnownPages known) {
      this.tail = tail;
      this.remembered = remembered;
      this.known = known;
    }
  }

  private EntryTable(IndexFile file, EntryLayout layout, PageBudget budget, int persistedCount) {
    this.file = file;
    this.layout = layout;
    this.budget = budget;
    this.view = new View(EntryPage.empty(layout, persistedCount, 0), null, new KnownPages(budget));
  }

  /**
   * Opens a table. Entries of zeros behind the last real one (a file that was preallocated and
   * never trimmed) don't count.
   */
  static EntryTable open(IndexFile file, EntryLayout layout, PageBudget budget) throws IOException {
    long size = file.size();
    if (size % layout.entryBytes() != 0 || size > Integer.MAX_VALUE) {
      throw new CorruptIndexException(
          "%s has %d bytes; expected a multiple of %d, %d at most"
              .formatted(file.name(), size, layout.entryBytes(), Integer.MAX_VALUE));
    }
    int wholeCount = (int) size / layout.entryBytes();
    int count =
        new EntryTable(file, layout, new PageBudget(0), wholeCount).countWithoutPadding(wholeCount);
    return new EntryTable(file, layout, budget, count);
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
    KnownPages.Table known = current.known.of(pages);
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (firstKey(known, middle) <= key) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (high < 0) {
      return -1;
    }
    EntryPage page = filePage(current, low * PAGE_ENTRIES, persistedCount);
    return floorIn(page, page.firstEntry() + page.countAcquire(), key);
  }

  /** The page of the file that holds an entry, with all that is persisted of it by now. */
  private EntryPage filePage(View current, int entry, int persistedCount) throws IOException {
    int number = entry / PAGE_ENTRIES;
    EntryPage kept = current.known.page(number);
    if (kept != null) {
      return kept;
    }
    int firstEntry = number * PAGE_ENTRIES;
    int end = Math.min(firstEntry + PAGE_ENTRIES, persistedCount);
    EntryPage remembered = current.remembered;
    if (remembered != null
        && remembered.firstEntry() == firstEntry
        && firstEntry + remembered.countAcquire() == end) {
      return remembered;
    }
    EntryPage page = readPage(firstEntry, persistedCount);
    if (end - firstEntry == PAGE_ENTRIES) {
      current.known.keep(number, page);
    }
    current.remembered = page;
    return page;
  }

  private static boolean holdsFloor(EntryPage page, int persistedCount, long key) {
    int end = page.firstEntry() + page.countAcquire();
    return page.key(page.firstEntry()) <= key && (key < page.key(end - 1) || end == persistedCount);
  }

  private long firstKey(KnownPages.Table known, int page) throws IOException {
    long key = known.firstKey(page);
    if (key == KnownPages.UNKNOWN) {
      key = readKey(page * PAGE_ENTRIES);
      known.firstKey(page, key);
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
    return filePage(current, entry, persistedCount);
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
    view = new View(roomy, view.remembered, view.known);
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
            EntryPage.empty(layout, tail.firstEntry() + tailCount, 0), view.remembered, view.known);
  }

  /** Drops the entries from a number on. */
  void truncate(int count) throws IOException {
    EntryPage tail = view.tail;
    if (count >= tail.firstEntry()) {
      int kept = Math.min(count - tail.firstEntry(), tail.countAcquire());
      view = new View(tail.copy(kept, kept), view.remembered, view.known);
    } else {
      file.truncate(fileBytes(count));
      View old = view;
      view = new View(EntryPage.empty(layout, count, 0), null, new KnownPages(budget));
      old.known.close();
    }
  }

  /** Cuts padding off the file; the entries stay. */
  void trim() throws IOException {
    flush();
    file.truncate(fileBytes(view.tail.firstEntry()));
  }

  /** Gives back what is kept of the file; the table stays usable. */
  void forget() {
    view.known.close();
  }

  /** Writes the tail page out and closes the file, also where the write fails. */
  void close() throws IOException {
    forget();
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
