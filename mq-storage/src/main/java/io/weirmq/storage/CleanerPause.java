package io.weirmq.storage;

/** Lets time pass on the cleaner's thread; tests let it pass without waiting. */
@FunctionalInterface
public interface CleanerPause {

  /**
   * Returns after so many nanoseconds.
   *
   * @throws InterruptedException where the thread is interrupted meanwhile
   */
  void pause(long nanos) throws InterruptedException;
}
