package io.weirmq.transport.shm.internal;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Peer;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.WaitStrategy;
import io.weirmq.transport.shm.internal.loop.EventLoop;
import io.weirmq.transport.shm.internal.loop.LoopMember;
import io.weirmq.transport.shm.internal.loop.SocketEvents;
import io.weirmq.transport.shm.internal.loop.Timer;
import io.weirmq.transport.shm.internal.ring.RingViolationException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: its life and the calls of its handler. What comes in is in its {@link
 * InboundPath}, what goes out in its {@link OutboundPath}.
 *
 * <p>Public methods are safe for use by several threads; the others belong to the loop unless they
 * say otherwise. Whatever may call the handler runs as a task or a turn of the loop, so that
 * callbacks never nest.
 *
 * <p><b>Ends.</b> {@link #close()} lets what was sent go into the ring, an {@code END} record
 * behind it, and closes the socket; the peer reads the ring to that record. There is nothing to
 * wait for after that, as no end of a socket can overtake what lies in memory. {@link #abort} cuts
 * at once and tells the handler the cause; the peer misses the {@code END} then, as it does where a
 * process was killed.
 */
final class ShmConnection implements Connection, LoopMember, SocketEvents {

  /** How long frames sent before {@link #close()} may take to leave. */
  private static final long CLOSE_FLUSH_SECONDS = 10;

  /** The idle time-out is looked at so often within it. */
  private static final int IDLE_CHECKS = 4;

  private static final int BELLS_PER_READ = 64;

  private static final int END_STEPS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(ShmConnection.class);

  private enum State {
    OPEN,
    CLOSING,
    CLOSED
  }

  private final long id;
  private final Endpoint endpoint;
  private final Peer peer;
  private final SocketChannel socket;
  private final EventLoop loop;
  private final WaitStrategy waitStrategy;
  private final TransportOptions options;
  private final ConnectionOwner owner;
  private final ConnectionHandler.Factory handlers;
  private final CompletableFuture<Connection> whenOpen = new CompletableFuture<>();
  private final CompletableFuture<Void> whenEnded = new CompletableFuture<>();
  private final InboundPath inbound;
  private final OutboundPath outbound;
  private final Bell bell;
  private final ByteBuffer bells = ByteBuffer.allocate(BELLS_PER_READ);
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private final AtomicReference<@Nullable Throwable> closeCause = new AtomicReference<>();

  private @Nullable SharedRings rings;
  private @Nullable ConnectionHandler handler;
  private @Nullable SelectionKey key;
  private @Nullable Timer closeTimer;
  private @Nullable Timer idleTimer;
  private boolean awake;
  private boolean reportedWritable = true;
  private boolean peerGone;
  private int endStep;
  private long trafficSeen;
  private int quietChecks;

  /** Makes a connection that has not begun; see {@link #start}. */
  ShmConnection(
      long id,
      Endpoint endpoint,
      Peer peer,
      SocketChannel socket,
      SharedRings rings,
      IoThread thread,
      WaitStrategy waitStrategy,
      TransportOptions options,
      ConnectionOwner owner,
      ConnectionHandler.Factory handlers) {
    this.id = id;
    this.endpoint = endpoint;
    this.peer = peer;
    this.socket = socket;
    this.rings = rings;
    this.loop = thread.loop();
    this.waitStrategy = waitStrategy;
    this.options = options;
    this.owner = owner;
    this.handlers = handlers;
    this.bell = new Bell(socket);
    this.inbound =
        new InboundPath(
            this, rings.reader(), rings.readerBytes(), thread.frames(), options.frameBytesMax());
    this.outbound = new OutboundPath(this, rings.writer(), rings.writerBytes(), options);
  }

  /**
   * Completes after {@code onOpen}; fails where the connection ends before or the callback throws.
   */
  CompletableFuture<Connection> whenOpen() {
    return whenOpen;
  }

  /** Completes after {@code onClosed}. */
  CompletableFuture<Void> whenEnded() {
    return whenEnded;
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
    try {
      outbound.flush();
    } catch (InternalError e) {
      abort(asCause(e));
    }
  }

  @Override
  public boolean isWritable() {
    return outbound.isWritable();
  }

  @Override
  public void pauseReading() {
    inbound.pause();
  }

  @Override
  public void resumeReading() {
    inbound.unpause();
    onLoop(this::wake);
  }

  @Override
  public void execute(Runnable task) {
    onLoop(
        () -> {
          try {
            task.run();
          } catch (Throwable e) {
            handlerFailed("task", e);
          }
        });
  }

  @Override
  public void close() {
    if (state.compareAndSet(State.OPEN, State.CLOSING)) {
      outbound.seal();
      onLoop(this::beginClose);
    }
  }

  /** Cuts the connection; the first cause is the one that the handler hears. From any thread. */
  void abort(Throwable cause) {
    state.compareAndSet(State.OPEN, State.CLOSING);
    if (closeCause.compareAndSet(null, cause)) {
      LOG.debug("connection cut, peer={}", peer, cause);
    }
    outbound.seal();
    onLoop(this::end);
  }

  /** Runs a task on the loop, never inside this call; drops it where the loop has ended. */
  void onLoop(Runnable task) {
    loop.execute(task);
  }

  /** Begins the connection. On the loop. */
  void start() {
    try {
      key = loop.register(socket, SelectionKey.OP_READ, this);
    } catch (IOException e) {
      abort(e);
      return;
    }
    loop.join(this);
    if (!owner.opened(this)) {
      abort(new IOException("transport is closed"));
      return;
    }
    if (!options.idleTimeout().isZero()) {
      scheduleIdleCheck();
    }
    try {
      ConnectionHandler created = handlers.create(this);
      handler = created;
      created.onOpen(this);
      whenOpen.complete(this);
    } catch (Throwable e) {
      handlerFailed("onOpen", e);
    }
    wake();
  }

  /** Whether frames are delivered: from the first event to the close by either side. */
  boolean isOpen() {
    return state.get() == State.OPEN;
  }

  /** Wakes the peer. From any thread. */
  void ring() {
    bell.ring();
  }

  /** Has the loop look at this connection turn by turn. On the loop. */
  void wake() {
    if (!awake && state.get() != State.CLOSED) {
      awake = true;
      inbound.awake();
      outbound.awake();
      loop.wake(this);
    }
  }

  @Override
  public int serve() {
    if (state.get() == State.CLOSED) {
      return 0;
    }
    try {
      int work = outbound.drain();
      if (outbound.isFinished()) {
        end();
      } else if (isOpen()) {
        work += inbound.poll();
      }
      return work;
    } catch (RingViolationException | FrameLengthException e) {
      owner.framingError(this, e);
      abort(e);
    } catch (IOException | RuntimeException e) {
      LOG.warn("connection is cut, peer={}, endpoint={}", peer, endpoint, e);
      abort(e);
    }
    return 1;
  }

  @Override
  public boolean memoryFailed(InternalError failure) {
    awake = true;
    if (state.get() == State.CLOSED) {
      onLoop(this::end); // its end was interrupted
      return true;
    }
    return cutWhereMemoryIsGone(failure);
  }

  /**
   * Ends the connection where the peer has cut the file. Each access is a fault then, which the JVM
   * turns into an error some time later, or not at all: what was read is no more than noise.
   */
  private boolean cutWhereMemoryIsGone(@Nullable InternalError failure) {
    SharedRings mine = rings;
    if (mine == null || mine.file().isWhole()) {
      return false;
    }
    abort(
        new IOException("peer %s has cut the file of the shared memory".formatted(peer), failure));
    return true;
  }

  @Override
  public boolean rest() {
    boolean rests;
    cutWhereMemoryIsGone(null);
    try {
      rests = state.get() == State.CLOSED || (maySleep() && inbound.rest() && outbound.rest());
    } catch (IOException e) {
      abort(e);
      rests = false;
    }
    awake = !rests;
    if (awake && state.get() != State.CLOSED) {
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
  public void ready() {
    try {
      if (socket.read(bells.clear()) < 0) {
        gone();
      }
    } catch (IOException e) {
      LOG.debug("the socket of peer {} is gone", peer, e);
      gone();
    }
    wake();
  }

  private void gone() {
    if (peerGone) {
      return;
    }
    peerGone = true;
    if (key != null) {
      key.cancel();
    }
    inbound.peerGone();
    if (state.get() == State.CLOSING) {
      closeCause.compareAndSet(
          null,
          new IOException(
              "peer %s ended before it took %d pending bytes"
                  .formatted(peer, outbound.pendingCost())));
      end();
    }
  }

  /** The peer has closed in good order, and all that it has sent is delivered. */
  void inputExhausted() {
    if (state.compareAndSet(State.OPEN, State.CLOSING)) {
      outbound.seal();
      end();
    }
  }

  /** Hands a frame to the handler; what that throws ends the connection. */
  void deliver(ShmInboundFrame frame) {
    ConnectionHandler target = handler;
    if (target == null || !isOpen()) {
      frame.release();
      return;
    }
    try {
      target.onFrame(this, frame);
    } catch (Throwable e) {
      handlerFailed("onFrame", e);
    }
  }

  /** Tells the handler that the watermark was passed. */
  void reportUnwritable() {
    if (reportedWritable && !outbound.isWritable()) {
      report(false);
    }
  }

  /**
   * Tells the handler that it may send again, and before that, where still unsaid, why it had to
   * wait.
   */
  void reportWritable() {
    if (reportedWritable) {
      report(false);
    }
    report(true);
  }

  private void beginClose() {
    if (state.get() == State.CLOSED) {
      return;
    }
    inbound.release();
    if (peerGone) {
      end();
      return;
    }
    closeTimer = loop.schedule(TimeUnit.SECONDS.toNanos(CLOSE_FLUSH_SECONDS), this::closeUnsent);
    outbound.finish();
    wake();
  }

  private void closeUnsent() {
    abort(
        new IOException(
            "peer %s did not take %d pending bytes within %d s of the close"
                .formatted(peer, outbound.pendingCost(), CLOSE_FLUSH_SECONDS)));
  }

  /**
   * Releases everything and tells the handler.
   *
   * <p>Step by step: where the peer has cut the file, the JVM may report the fault within any of
   * them or between two, and none of the others may be left out. Then this is called again. The
   * first step makes no difference but that it is a good moment for such a report; those after it
   * do not touch the memory.
   */
  private void end() {
    state.set(State.CLOSED);
    while (endStep < END_STEPS) {
      int step = endStep++;
      try {
        endStep(step);
      } catch (Throwable e) {
        LOG.warn("step {} of the end failed, peer={}, endpoint={}", step, peer, endpoint, e);
      }
    }
  }

  private void endStep(int step) {
    switch (step) {
      case 0 -> LOG.trace("memory is whole: {}", rings != null && rings.file().isWhole());
      case 1 -> closeSocket();
      case 2 -> releaseMemory();
      case 3 -> inbound.release();
      case 4 -> outbound.end();
      case 5 -> owner.ended(this);
      case 6 -> tellHandler();
      case 7 -> {
        loop.leave(this);
        whenOpen.completeExceptionally(
            new IOException(
                "connection to " + endpoint + " ended before it was open", closeCause.get()));
        whenEnded.complete(null);
      }
      default -> throw new IllegalStateException("step " + step);
    }
  }

  private void tellHandler() {
    if (handler != null) {
      handler.onClosed(this, closeCause.get());
    }
  }

  private void closeSocket() {
    cancel(closeTimer);
    cancel(idleTimer);
    if (key != null) {
      key.cancel();
    }
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("socket of peer {} can't be closed", peer, e);
    }
  }

  private void releaseMemory() {
    SharedRings unused = rings;
    if (unused != null) {
      // Whoever keeps this connection must not keep its memory.
      rings = null;
      unused.close();
    }
  }

  private static void cancel(@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  private void scheduleIdleCheck() {
    idleTimer =
        loop.schedule(Math.max(1, options.idleTimeout().toNanos() / IDLE_CHECKS), this::checkIdle);
  }

  private void checkIdle() {
    long traffic = inbound.position() + outbound.position();
    quietChecks = traffic == trafficSeen ? quietChecks + 1 : 0;
    trafficSeen = traffic;
    if (quietChecks > IDLE_CHECKS) {
      abort(
          new IOException("no traffic with peer %s for %s".formatted(peer, options.idleTimeout())));
    } else {
      scheduleIdleCheck();
    }
  }

  private void report(boolean nowWritable) {
    reportedWritable = nowWritable;
    if (handler == null || !isOpen()) {
      return;
    }
    try {
      handler.onWritabilityChanged(this, nowWritable);
    } catch (Throwable e) {
      handlerFailed("onWritabilityChanged", e);
    }
  }

  private void handlerFailed(String callback, Throwable cause) {
    LOG.warn("{} failed, connection is cut, peer={}, endpoint={}", callback, peer, endpoint, cause);
    abort(cause);
  }

  /** Names what a mapping that is shorter than it was does to whoever touches it. */
  static Throwable asCause(Throwable failure) {
    return failure instanceof InternalError
        ? new IOException(
            "shared memory can't be accessed: the peer has cut the file of the shared memory",
            failure)
        : failure;
  }
}
