package io.weirmq.transport.shm.internal;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Peer;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.WaitStrategy;
import io.weirmq.transport.shm.internal.loop.EventLoop;
import io.weirmq.transport.shm.internal.loop.Timer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: its life. What comes in is in its {@link InboundPath}, what goes out in its
 * {@link OutboundPath}, and when either is looked at in its {@link ConnectionTurns}; the {@link
 * PeerSocket} wakes and tells of the peer's end, and {@link HandlerCalls} tells the program.
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
final class ShmConnection implements Connection {

  /** How long frames sent before {@link #close()} may take to leave. */
  private static final long CLOSE_FLUSH_SECONDS = 10;

  /** Times to begin where a fault of another connection's memory comes between. */
  private static final int JOINS_MAX = 8;

  private static final Logger LOG = LoggerFactory.getLogger(ShmConnection.class);

  private enum State {
    OPEN,
    CLOSING,
    CLOSED
  }

  private final long id;
  private final Endpoint endpoint;
  private final Peer peer;
  private final PeerSocket socket;
  private final EventLoop loop;
  private final TransportOptions options;
  private final ConnectionOwner owner;
  private final HandlerCalls handler;
  private final CompletableFuture<Connection> whenOpen = new CompletableFuture<>();
  private final CompletableFuture<Void> whenEnded = new CompletableFuture<>();
  private final InboundPath inbound;
  private final OutboundPath outbound;
  private final ConnectionTurns turns;
  private final IdleCheck idleCheck;
  private final ConnectionEnd end;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private final AtomicReference<@Nullable Throwable> closeCause = new AtomicReference<>();

  private @Nullable SharedRings rings;
  private @Nullable Timer closeTimer;

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
    this.socket = new PeerSocket(this, socket, owner.waits());
    this.rings = rings;
    this.loop = thread.loop();
    this.options = options;
    this.owner = owner;
    this.handler = new HandlerCalls(this, handlers);
    FrameMemory frames = thread.frames(rings.isOfServer());
    this.inbound = new InboundPath(this, handler, rings, frames, options.frameBytesMax());
    this.outbound = new OutboundPath(this, handler, rings, options, owner.waits());
    this.turns = new ConnectionTurns(this, loop, waitStrategy, inbound, outbound);
    this.idleCheck = new IdleCheck(loop, options.idleTimeout(), this::traffic, this::idle);
    this.end =
        new ConnectionEnd(
            this,
            this::takeFaults, // the steps after it do not touch the memory
            this::closeSocket,
            this::releaseMemory,
            inbound::release,
            outbound::end,
            () -> owner.ended(this),
            () -> handler.closed(closeCause.get()),
            this::leave);
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
  public boolean offer(ByteBuffer content) {
    return outbound.offer(content);
  }

  @Override
  public int offer(ByteBuffer[] contents, int from, int to) {
    return outbound.offer(contents, from, to);
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
    inbound.pause();
  }

  @Override
  public void resumeReading() {
    inbound.unpause();
    onLoop(this::wake);
  }

  @Override
  public void execute(Runnable task) {
    onLoop(() -> handler.run(task));
  }

  @Override
  public void close() {
    if (state.compareAndSet(State.OPEN, State.CLOSING)) {
      outbound.seal();
      onLoop(this::beginClose);
    }
  }

  /** Cuts the connection; the first cause is the one that the handler hears. */
  @Override
  public void abort(Throwable cause) {
    state.compareAndSet(State.OPEN, State.CLOSING);
    if (closeCause.compareAndSet(null, cause)) {
      LOG.debug("connection cut, peer={}", peer, cause);
    }
    outbound.seal();
    onLoop(this::end);
  }

  /**
   * Runs a task on the loop, never inside this call.
   *
   * @return false where the loop has ended
   */
  boolean onLoop(Runnable task) {
    return loop.execute(task);
  }

  /**
   * Has the connection begin on its loop; where that has ended, gives back what it has got. From
   * any thread.
   */
  void begin() {
    if (!onLoop(this::start)) {
      state.set(State.CLOSED);
      socket.close();
      releaseMemory();
      owner.ended(this);
      whenOpen.completeExceptionally(new IOException("transport is closed"));
      whenEnded.complete(null);
    }
  }

  private void start() {
    try {
      join();
    } catch (IOException e) {
      abort(e);
      return;
    }
    if (!owner.opened(this)) {
      abort(new IOException("transport is closed"));
      return;
    }
    idleCheck.start();
    if (handler.open()) {
      whenOpen.complete(this);
    }
    wake();
  }

  /** Becomes a member of the loop, whatever is reported of another one's memory meanwhile. */
  private void join() throws IOException {
    InternalError foreign = null;
    for (int i = 0; i < JOINS_MAX; i++) {
      try {
        socket.register(loop);
        turns.join();
        return;
      } catch (InternalError e) {
        foreign = e;
      }
    }
    throw new IOException("interrupted by faults of memory", foreign);
  }

  /** Whether frames are delivered: from the first event to the close by either side. */
  boolean isOpen() {
    return state.get() == State.OPEN;
  }

  /** Whether it has ended: the ring is not touched any more. */
  boolean isClosed() {
    return state.get() == State.CLOSED;
  }

  /** Its memory; null once it has ended. On the loop. */
  @Nullable SharedRings rings() {
    return rings;
  }

  /** Wakes the peer. From any thread. */
  void ring() {
    socket.ring();
  }

  /**
   * Has the JVM report now what it knows of faults of other connections' memory, so that it does
   * not do so within the handler that is called next. On the loop.
   */
  void takeForeignFaults() {
    loop.takeFaults();
  }

  /** The handler was interrupted by a fault of memory, of whatever connection. On the loop. */
  void interrupted(String callback, InternalError failure) {
    loop.memoryFailed(failure);
    abort(
        new IOException(
            "a fault of memory was reported within %s: what that has done is not known"
                .formatted(callback),
            failure));
  }

  /** Has the loop look at this connection turn by turn. On the loop. */
  void wake() {
    turns.wake();
  }

  /**
   * Cuts the connection, and counts and reports it, for what no honest peer does: a frame or record
   * that can't be, memory that is gone. From any thread.
   */
  void framingError(IOException error) {
    if (closeCause.get() == null) { // else it is being cut already
      owner.framingError(this, error);
    }
    abort(error);
  }

  /** The socket has ended; what the peer has put into the ring is still read. On the loop. */
  void peerGone() {
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

  private void beginClose() {
    if (state.get() == State.CLOSED) {
      return;
    }
    inbound.release();
    if (socket.isPeerGone()) {
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
   * Releases everything and tells the handler. Goes on where an earlier call was interrupted. On
   * the loop.
   */
  void end() {
    state.set(State.CLOSED);
    end.run();
  }

  private void takeFaults() {
    SharedRings ending = rings;
    boolean whole = false;
    try {
      whole = ending == null || ending.file().isWhole();
    } catch (InternalError e) {
      LOG.debug("an earlier fault was reported at the end of a connection", e);
    }
    if (ending != null && !whole) {
      ending.file().takeFaults();
    }
  }

  private void closeSocket() {
    if (closeTimer != null) {
      closeTimer.cancel();
    }
    idleCheck.stop();
    socket.close();
  }

  private void releaseMemory() {
    SharedRings unused = rings;
    if (unused != null) {
      // Whoever keeps this connection must not keep its memory.
      rings = null;
      unused.close();
    }
  }

  private void leave() {
    turns.leave();
    whenOpen.completeExceptionally(
        new IOException(
            "connection to " + endpoint + " ended before it was open", closeCause.get()));
    whenEnded.complete(null);
  }

  private long traffic() {
    return inbound.position() + outbound.position();
  }

  private void idle() {
    abort(new IOException("no traffic with peer %s for %s".formatted(peer, options.idleTimeout())));
  }
}
