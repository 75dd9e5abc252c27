package io.weirmq.index;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds the pages that many indexes together keep in memory, so that looking into one again needs
 * no read. A page has {@value EntryTable#PAGE_ENTRIES} entries: 4 KiB of an offset index, 6 KiB of
 * a time index.
 *
 * <p>An index takes from the budget as lookups read its pages, and gives all back when it is closed
 * or truncated. Where nothing is left it keeps only the page that it read last. Safe for use by
 * several threads.
 */
public final class PageBudget {

  /** The size of a page at most, in bytes. */
  public static final int PAGE_BYTES_MAX = EntryTable.PAGE_ENTRIES * 12;

  private final int pagesMax;
  private final AtomicInteger used = new AtomicInteger();

  /**
   * Makes a budget.
   *
   * @param pagesMax pages that may be kept, 0 or more
   */
  public PageBudget(int pagesMax) {
    if (pagesMax < 0) {
      throw new IllegalArgumentException("pagesMax is " + pagesMax + "; expected 0 or more");
    }
    this.pagesMax = pagesMax;
  }

  /** Pages that are kept now. */
  public int pagesUsed() {
    return used.get();
  }

  boolean tryTake() {
    if (used.incrementAndGet() <= pagesMax) {
      return true;
    }
    used.decrementAndGet();
    return false;
  }

  void giveBack(int pages) {
    used.addAndGet(-pages);
  }
}
