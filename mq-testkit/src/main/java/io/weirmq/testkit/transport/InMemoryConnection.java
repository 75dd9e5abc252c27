package io.weirmq.testkit.transport;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Peer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection of an {@link InMemoryNetwork}.
 *
 * <p>Public methods are safe for use by several threads; the others run in tasks of the network
 * unless they say otherwise. What this end sends is in its {@link InMemoryLane}.
 */
final class InMemoryConnection implements Connection {

  /** How long frames sent before {@link #close()} may take to be taken by the peer. */
  private static final Duration CLOSE_FLUSH = Duration.ofSeconds(10);

  private enum State {
    OPEN,
    CLOSING,
    ENDED
  }

  private final long id;
  private final InMemoryTransport transport;
  private final InMemoryNetwork network;
  private final Endpoint endpoint;
  private final Peer peer;
  private final @Nullable InMemoryListener listener;
  private final InMemoryLane outbound;
  private volatile State state = State.OPEN;
  private volatile boolean paused;
  private @Nullable InMemoryConnection remote;
  private @Nullable ConnectionHandler handler;
  private boolean reportedWritable = true;
  private long lastTrafficNanos;

  InMemoryConnection(
      long id,
      InMemoryTransport transport,
      Endpoint endpoint,
      Peer peer,
      @Nullable InMemoryListener listener) {
    this.id = id;
    this.transport = transport;
    this.network = transport.network();
    this.endpoint = endpoint;
    this.peer = peer;
    this.listener = listener;
    this.outbound = new InMemoryLane(this, network, transport.options());
    this.lastTrafficNanos = network.nanoTime();
  }

  /** Joins the two ends, before either is opened. */
  void join(InMemoryConnection other) {
    remote = other;
  }

  InMemoryConnection remote() {
    InMemoryConnection other = remote;
    if (other == null) {
      throw new IllegalStateException("connection " + id + " has not been joined");
    }
    return other;
  }

  String node() {
    return transport.node();
  }

  String remoteNode() {
    return remote().node();
  }

  /** Whether a listener accepted this end. */
  boolean isAccepted() {
    return listener != null;
  }

  boolean isEnded() {
    return state == State.ENDED;
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  boolean isPaused() {
    return paused;
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public Peer peer() {
    return peer;
  }

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public void send(OutboundFrame frame) {
    outbound.send(frame);
  }

  @Override
  public void flush() {
    outbound.flush();
  }

  @Override
  public boolean isWritable() {
    return outbound.isWritable();
  }

  @Override
  public void pauseReading() {
    paused = true;
  }

  @Override
  public void resumeReading() {
    paused = false;
    remote().outbound.scheduleDelivery();
  }

  @Override
  public void execute(Runnable task) {
    if (transport.isClosed()) {
      return;
    }
    network.execute(
        () -> {
          try {
            task.run();
          } catch (Throwable e) {
            cut(e);
          }
        });
  }

  @Override
  public void close() {
    if (seal()) {
      outbound.finish();
      network.schedule(
          CLOSE_FLUSH,
          () -> end(new IOException("peer " + peer + " did not take what was sent before close")));
    }
  }

  @Override
  public void abort(Throwable cause) {
    if (state != State.ENDED) {
      cut(cause);
    }
  }

  /** Takes no more frames from the handler. From any thread; false where that was so already. */
  boolean seal() {
    synchronized (network) {
      if (state != State.OPEN) {
        return false;
      }
      state = State.CLOSING;
    }
    outbound.seal();
    return true;
  }

  /** Makes the handler and opens this end; returns what went wrong, or null. */
  @Nullable Throwable open(ConnectionHandler.Factory handlers) {
    if (listener != null && transport.isClosed()) {
      end(new IOException("transport is closed"));
      return null;
    }
    try {
      ConnectionHandler created = handlers.create(this);
      handler = created;
      created.onOpen(this);
      scheduleIdleCheck(transport.options().idleTimeout());
      return null;
    } catch (Throwable e) {
      cutNow(e);
      return e;
    }
  }

  /** Hands a frame to the handler. */
  void deliver(byte[] content) {
    ConnectionHandler target = handler;
    traffic();
    if (state != State.OPEN || target == null) {
      return;
    }
    int limit = transport.options().frameBytesMax();
    if (content.length > limit) {
      if (listener != null) {
        listener.framingError();
      }
      cutNow(new IOException("frame length %d is outside 0..%d".formatted(content.length, limit)));
      return;
    }
    try {
      target.onFrame(this, new HeapFrame(content));
    } catch (Throwable e) {
      cutNow(e);
    }
  }

  /** Notes traffic in either direction. */
  void traffic() {
    lastTrafficNanos = network.nanoTime();
  }

  /** All that the peer has sent is delivered and it has closed: both ends are done. */
  void peerFinished() {
    end(null);
    remote().end(null);
  }

  /** Tells the handler that the watermark was passed. */
  void reportUnwritable() {
    if (reportedWritable && !outbound.isWritable()) {
      report(false);
    }
  }

  /** Tells the handler that it may send again. */
  void reportWritable() {
    if (reportedWritable) {
      report(false);
    }
    report(true);
  }

  /** Ends this end at once and lets the other learn of it. From any thread. */
  void cut(Throwable cause) {
    seal();
    network.execute(() -> cutNow(cause));
  }

  /** A partition has ended: delivery goes on, and an end missed meanwhile is noticed. */
  void linkHealed() {
    if (remote().isEnded()) {
      network.execute(this::noticeRemoteEnd);
    } else {
      outbound.scheduleDelivery();
    }
  }

  /** Delivers what can be delivered at once and ends. */
  void closeNow() {
    seal();
    outbound.finish();
    outbound.deliverAllNow();
    end(null);
    scheduleRemoteEnd();
  }

  private void cutNow(Throwable cause) {
    end(cause);
    scheduleRemoteEnd();
  }

  private void scheduleRemoteEnd() {
    network.schedule(network.delayBetween(node(), remoteNode()), () -> remote().noticeRemoteEnd());
  }

  private void noticeRemoteEnd() {
    if (!network.isPartitioned(node(), remoteNode())) {
      end(new IOException("connection reset by peer " + peer));
    }
  }

  private void end(@Nullable Throwable cause) {
    synchronized (network) {
      if (state == State.ENDED) {
        return;
      }
      state = State.ENDED;
    }
    outbound.end();
    transport.ended(this);
    if (listener != null) {
      listener.connectionEnded();
    }
    ConnectionHandler target = handler;
    if (target == null) {
      return;
    }
    try {
      target.onClosed(this, cause);
    } catch (Throwable e) {
      // A handler that fails at the end of its connection must not harm another; the connection is
      // gone already, so there is nobody left to tell.
      if (cause != null) {
        cause.addSuppressed(e);
      }
    }
  }

  private void report(boolean writable) {
    reportedWritable = writable;
    ConnectionHandler target = handler;
    if (target == null || state != State.OPEN) {
      return;
    }
    try {
      target.onWritabilityChanged(this, writable);
    } catch (Throwable e) {
      cutNow(e);
    }
  }

  private void scheduleIdleCheck(Duration wait) {
    if (!transport.options().idleTimeout().isZero()) {
      network.schedule(wait, this::checkIdle);
    }
  }

  private void checkIdle() {
    if (state == State.ENDED) {
      return;
    }
    Duration idle = Duration.ofNanos(network.nanoTime() - lastTrafficNanos);
    Duration left = transport.options().idleTimeout().minus(idle);
    if (left.isNegative() || left.isZero()) {
      cutNow(new IOException("no traffic with peer " + peer + " for " + idle));
    } else {
      scheduleIdleCheck(left);
    }
  }

  /** A frame on the heap; there is nothing to give back, but a second release is still reported. */
  private static final class HeapFrame implements InboundFrame {

    private final ByteBuffer buffer;
    private final AtomicBoolean released = new AtomicBoolean();

    HeapFrame(byte[] content) {
      this.buffer = ByteBuffer.wrap(content);
    }

    @Override
    public ByteBuffer buffer() {
      return buffer;
    }

    @Override
    public void release() {
      if (!released.compareAndSet(false, true)) {
        throw new IllegalStateException(
            "inbound frame of " + buffer.limit() + " bytes released twice");
      }
    }
  }
}
