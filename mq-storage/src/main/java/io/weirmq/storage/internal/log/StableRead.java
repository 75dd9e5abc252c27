package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;

/**
 * A look at a log that is done again where segments were cut, replaced or removed meanwhile: what
 * was found then may be of two generations, and a file that is gone is no failure of the disk.
 */
final class StableRead {

  private StableRead() {}

  static <T> T of(LogState state, Look<T> look) throws StorageException {
    while (true) {
      int cuts = state.cuts();
      long start = state.logStartOffset();
      try {
        T found = look.look();
        if (cuts == state.cuts()) {
          return found;
        }
      } catch (StorageException e) {
        // The start is moved before files are taken away.
        if (cuts == state.cuts() && start == state.logStartOffset()) {
          throw e;
        }
      }
    }
  }

  /** What is done again. */
  @FunctionalInterface
  interface Look<T> {
    T look() throws StorageException;
  }
}
