package io.weirmq.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the pages of an index file: the first key of those that a search has touched,
 * and as many whole pages as the budget allows. A page in the file that is full never changes, so
 * that whoever has read one may put it here. Safe for use by several threads; lookups take no lock.
 */
final class KnownPages {

  /** Stands for a key that was not read yet; no index has it. */
  static final long UNKNOWN = Long.MIN_VALUE;

  /** Opaque access: a reader sees a key whole or not at all. */
  private static final VarHandle KEY = MethodHandles.arrayElementVarHandle(long[].class);

  private static final VarHandle PAGE = MethodHandles.arrayElementVarHandle(EntryPage[].class);

  private final PageBudget budget;
  private volatile Table table = new Table(new long[0], new EntryPage[0]);

  // Guarded by the object's lock.
  private int kept;
  private boolean closed;

  KnownPages(PageBudget budget) {
    this.budget = budget;
  }

  /** What is known, with room for so many pages. */
  Table of(int pages) {
    Table current = table;
    return current.keys.length >= pages ? current : grow(pages);
  }

  private synchronized Table grow(int pages) {
    Table current = table;
    if (current.keys.length < pages) {
      // A key that another thread puts into the old table meanwhile is read again some time.
      int room = pages + pages / 2;
      long[] keys = Arrays.copyOf(current.keys, room);
      Arrays.fill(keys, current.keys.length, room, UNKNOWN);
      current = new Table(keys, Arrays.copyOf(current.pages, room));
      table = current;
    }
    return current;
  }

  /** The page of a number where it is kept. */
  @Nullable EntryPage page(int number) {
    EntryPage[] pages = table.pages;
    return number < pages.length ? (EntryPage) PAGE.getAcquire(pages, number) : null;
  }

  /** Keeps a page that is full, where the budget allows it. */
  synchronized void keep(int page, EntryPage whole) {
    EntryPage[] pages = of(page + 1).pages;
    if (!closed && pages[page] == null && budget.tryTake()) {
      PAGE.setRelease(pages, page, whole);
      kept++;
    }
  }

  /** Forgets the pages and gives their room back; nothing is kept from then on. */
  synchronized void close() {
    closed = true;
    table = new Table(new long[0], new EntryPage[0]);
    budget.giveBack(kept);
    kept = 0;
  }

  /** One entry per page of the file, and some to spare. */
  static final class Table {
    private final long[] keys;
    private final EntryPage[] pages;

    private Table(long[] keys, EntryPage[] pages) {
      this.keys = keys;
      this.pages = pages;
    }

    /** The first key of a page, or {@link #UNKNOWN}. */
    long firstKey(int page) {
      return (long) KEY.getOpaque(keys, page);
    }

    void firstKey(int page, long key) {
      KEY.setOpaque(keys, page, key);
    }
  }
}
