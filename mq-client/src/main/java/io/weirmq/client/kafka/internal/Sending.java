package io.weirmq.client.kafka.internal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.network.NetworkSend;

/**
 * A request from the moment it is given to the transport until the transport needs its buffers no
 * more, which for nearly all of them is before {@code send} returns.
 *
 * <p>Kafka's client uses buffers again as soon as it holds a request for done, so that nothing may
 * be read from them then.
 */
final class Sending implements Runnable {

  private final NetworkSend send;
  private final Inbox inbox;
  private final Thread sender = Thread.currentThread();
  private final CountDownLatch released = new CountDownLatch(1);

  Sending(NetworkSend send, Inbox inbox) {
    this.send = send;
    this.inbox = inbox;
  }

  NetworkSend send() {
    return send;
  }

  /** Called by the transport when it has copied or dropped the request. */
  @Override
  public void run() {
    released.countDown();
    if (Thread.currentThread() != sender) {
      inbox.add(() -> {}); // the polling thread has something to look at
    }
  }

  boolean isReleased() {
    return released.getCount() == 0;
  }

  /**
   * Waits for the release.
   *
   * @return false where it did not come in time, or the thread was interrupted
   */
  boolean awaitRelease(long millis) {
    try {
      return released.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return isReleased();
    }
  }
}
