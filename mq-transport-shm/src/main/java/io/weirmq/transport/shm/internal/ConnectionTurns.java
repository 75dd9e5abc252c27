package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.WaitStrategy;
import io.weirmq.transport.shm.internal.loop.EventLoop;
import io.weirmq.transport.shm.internal.loop.LoopMember;
import io.weirmq.transport.shm.internal.loop.Patience;
import io.weirmq.transport.shm.internal.ring.RingViolationException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a connection does in the turns of its loop: write what is queued, read what is there, and
 * rest when there is nothing.
 *
 * <p>Confined to the connection's loop.
 */
final class ConnectionTurns implements LoopMember {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionTurns.class);

  private final ShmConnection connection;
  private final EventLoop loop;
  private final WaitStrategy waitStrategy;
  private final InboundPath inbound;
  private final OutboundPath outbound;
  private final Patience patience;
  private boolean awake;

  ConnectionTurns(
      ShmConnection connection,
      EventLoop loop,
      WaitStrategy waitStrategy,
      InboundPath inbound,
      OutboundPath outbound) {
    this.connection = connection;
    this.loop = loop;
    this.waitStrategy = waitStrategy;
    this.inbound = inbound;
    this.outbound = outbound;
    this.patience = loop.newPatience();
  }

  @Override
  public void wake() {
    if (!awake && !connection.isClosed()) {
      awake = true;
      inbound.awake();
      outbound.awake();
      loop.wake(this);
    }
  }

  @Override
  public int serve() {
    if (connection.isClosed()) {
      return 0;
    }
    try {
      int work = outbound.drain();
      if (outbound.isFinished()) {
        connection.end();
      } else if (connection.isOpen()) {
        work += inbound.poll();
      }
      return work;
    } catch (RingViolationException | FrameLengthException e) {
      connection.framingError(e);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "connection is cut, peer={}, endpoint={}", connection.peer(), connection.endpoint(), e);
      connection.abort(e);
    }
    return 1;
  }

  @Override
  public Patience patience() {
    return patience;
  }

  @Override
  public boolean rest() {
    boolean rests;
    cutWhereMemoryIsGone(null);
    try {
      rests = connection.isClosed() || (maySleep() && inbound.rest() && outbound.rest());
    } catch (IOException e) {
      connection.abort(e);
      rests = false;
    }
    awake = !rests;
    if (awake && !connection.isClosed()) {
      inbound.awake();
      outbound.awake();
    }
    return rests;
  }

  /** What can only be changed by a call of ours needs no polling, whatever the strategy. */
  private boolean maySleep() {
    return waitStrategy == WaitStrategy.ADAPTIVE
        || (inbound.isPaused() && outbound.pendingCost() == 0);
  }

  @Override
  public boolean memoryFailed(InternalError failure) {
    awake = true;
    if (connection.isClosed()) {
      connection.onLoop(connection::end); // its end was interrupted
      return true;
    }
    return cutWhereMemoryIsGone(failure);
  }

  @Override
  public void loopEnds() {
    connection.abort(new IOException("transport is closed"));
  }

  @Override
  public void failsAgain(Throwable failure) {
    connection.framingError(
        new IOException(
            "turns of the connection with peer %s fail: %s; shared memory with holes on a full file system does so"
                .formatted(connection.peer(), failure.getMessage()),
            failure));
  }

  /**
   * Ends the connection where the peer has cut the file. Each access is a fault then, which the JVM
   * turns into an error some time later, or not at all: what was read is no more than noise.
   */
  private boolean cutWhereMemoryIsGone(@Nullable InternalError failure) {
    SharedRings rings = connection.rings();
    if (rings == null || rings.file().isWhole()) {
      return false;
    }
    rings.file().takeFaults();
    connection.framingError(
        new IOException(
            "peer %s has cut the file of the shared memory".formatted(connection.peer()), failure));
    return true;
  }

  /** Leaves the loop. */
  void leave() {
    loop.leave(this);
  }

  /** Enters the loop, at rest. */
  void join() {
    loop.join(this);
  }
}
