package io.weirmq.client.kafka.internal;

import io.weirmq.transport.PolledTransport;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Who runs the loop of a {@link PolledTransport}: the polling thread, or a thread of its own while
 * the polling thread has to sleep in another place.
 *
 * <p>Confined to the polling thread, except for {@link #wakeup()}.
 */
final class TransportLoop {

  /** How long a poll of the own thread may last; what happens ends it sooner. */
  private static final long POLL_MILLIS = 60_000;

  private final PolledTransport transport;
  private final ThreadFactory threads;
  private volatile boolean lent;
  private @Nullable Thread borrower;

  /** Creates the loop of a transport, which the polling thread runs at first. */
  TransportLoop(PolledTransport transport) {
    this(transport, Thread::new);
  }

  /**
   * Creates the loop of a transport, which the polling thread runs at first.
   *
   * @param threads makes those that have the loop for a while; they are named and started here
   */
  TransportLoop(PolledTransport transport, ThreadFactory threads) {
    this.transport = transport;
    this.threads = threads;
  }

  /** Whether the polling thread runs the loop. */
  boolean isOurs() {
    return borrower == null;
  }

  /** Runs the loop as {@link PolledTransport#poll} does; to be called where it is ours. */
  int poll(long timeoutMillis) {
    return transport.poll(timeoutMillis);
  }

  /** Ends a poll that is under way, or else the next one. From any thread. */
  void wakeup() {
    transport.wakeup();
  }

  /**
   * Lets a thread run the loop; does nothing where one does.
   *
   * @throws OutOfMemoryError where no thread can be made; the loop is still ours then
   */
  void lend() {
    if (borrower == null) {
      lent = true;
      Thread started = threads.newThread(this::run);
      started.setName(Thread.currentThread().getName() + "-shm");
      started.setDaemon(true);
      started.start();
      borrower = started; // only now: where no thread can be made, the loop is still ours
    }
  }

  private void run() {
    while (lent) {
      transport.poll(POLL_MILLIS);
    }
  }

  /** Takes the loop back; returns when the other thread has ended, also where interrupted. */
  void takeBack() {
    Thread ending = borrower;
    if (ending == null) {
      return;
    }
    lent = false;
    transport.wakeup();
    boolean interrupted = false;
    while (ending.isAlive()) {
      try {
        ending.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    borrower = null;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
