package io.weirmq.testkit.storage;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Holds operations up until the test opens the gate: a slow disk without a sleep. Safe for use by
 * several threads.
 */
public final class FileGate {

  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);

  FileGate() {}

  /**
   * Waits until an operation stands before the gate.
   *
   * @param atMost bound of the wait, for a test that would hang otherwise
   * @return whether one has come
   * @throws InterruptedException where the waiting thread is interrupted
   */
  public boolean awaitArrival(Duration atMost) throws InterruptedException {
    return arrived.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Whether an operation has come to the gate. */
  public boolean hasArrival() {
    return arrived.getCount() == 0;
  }

  /** Lets everything through from now on. */
  public void open() {
    opened.countDown();
  }

  void pass() throws IOException {
    arrived.countDown();
    try {
      opened.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted before a gate of the test");
    }
  }
}
