package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.loop.EventLoop;
import io.weirmq.transport.shm.internal.loop.Timer;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices that a connection has had no traffic for a time. Traffic is looked at some times within
 * it, so that it costs nothing per frame. Confined to the connection's loop.
 */
final class IdleCheck {

  /** Looks within the time. */
  private static final int LOOKS = 4;

  private final EventLoop loop;
  private final Duration timeout;
  private final LongSupplier traffic;
  private final Runnable onIdle;
  private @Nullable Timer timer;
  private long trafficSeen;
  private int quietLooks;

  /**
   * Makes a check that has not begun.
   *
   * @param timeout zero never to check
   * @param traffic a number that changes with each frame
   * @param onIdle run once, after which there are no more looks
   */
  IdleCheck(EventLoop loop, Duration timeout, LongSupplier traffic, Runnable onIdle) {
    this.loop = loop;
    this.timeout = timeout;
    this.traffic = traffic;
    this.onIdle = onIdle;
  }

  /** Begins. */
  void start() {
    if (!timeout.isZero()) {
      timer = loop.schedule(Math.max(1, timeout.toNanos() / LOOKS), this::look);
    }
  }

  private void look() {
    long now = traffic.getAsLong();
    quietLooks = now == trafficSeen ? quietLooks + 1 : 0;
    trafficSeen = now;
    if (quietLooks > LOOKS) {
      onIdle.run();
    } else {
      start();
    }
  }

  void stop() {
    if (timer != null) {
      timer.cancel();
    }
  }
}
