package io.weirmq.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The first keys of the pages of an index file, as far as they are known. The first key of a page
 * never changes while the page is in the file, so that whoever finds one may put it. Safe for use
 * by several threads.
 */
final class PageKeys {

  /** Stands for a key that was not read yet; no index has it. */
  static final long UNKNOWN = Long.MIN_VALUE;

  /** Keys of no page. */
  static final PageKeys NONE = new PageKeys(new long[0]);

  /** Opaque access: a reader sees a key whole or not at all. */
  private static final VarHandle KEY = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] keys;

  private PageKeys(long[] keys) {
    this.keys = keys;
  }

  /** Whether there is room for the keys of so many pages. */
  boolean covers(int pages) {
    return keys.length >= pages;
  }

  /** Returns what is known here, with room for more. */
  PageKeys grown(int pages) {
    long[] roomy = Arrays.copyOf(keys, pages + pages / 2);
    Arrays.fill(roomy, keys.length, roomy.length, UNKNOWN);
    return new PageKeys(roomy);
  }

  /** The first key of a page, or {@link #UNKNOWN}. */
  long get(int page) {
    return (long) KEY.getOpaque(keys, page);
  }

  void put(int page, long key) {
    KEY.setOpaque(keys, page, key);
  }
}
