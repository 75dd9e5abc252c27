package io.weirmq.transport.netty.internal;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.ScheduledFuture;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Peer;
import io.weirmq.transport.TransportOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection: its life and the calls of its handler. What comes in is in its {@link
 * InboundPath}, what goes out in its {@link OutboundPath}.
 *
 * <p>Public methods are safe for use by several threads; the others belong to the event loop unless
 * they say otherwise. Whatever may call the handler runs as a task of the loop or as an event of
 * the channel, so that callbacks never nest.
 *
 * <p><b>Ends.</b> {@link #close()} drains, writes, shuts down output and then reads on until the
 * peer ends too: closing a socket with unread bytes resets it, and a reset may overtake the last
 * frames. {@link #abort} cuts at once and tells the handler the cause. Where the peer ends its
 * side, all whole frames are delivered first, also after a pause; then we close.
 */
final class NettyConnection implements Connection {

  /** How long frames sent before {@link #close()} may take to leave. */
  private static final long CLOSE_FLUSH_SECONDS = 10;

  /** How long to wait for the peer's end after ours. */
  private static final long CLOSE_LINGER_SECONDS = 2;

  private static final Logger LOG = LoggerFactory.getLogger(NettyConnection.class);

  private enum State {
    OPEN,
    CLOSING,
    CLOSED
  }

  private final long id;
  private final Endpoint endpoint;
  private final Channel channel;
  private final TransportOptions options;
  private final ConnectionOwner owner;
  private final ConnectionHandler.Factory handlers;
  private final CompletableFuture<Connection> whenOpen = new CompletableFuture<>();
  private final CompletableFuture<Void> whenEnded = new CompletableFuture<>();
  private final InboundPath inbound;
  private final OutboundPath outbound;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private final AtomicReference<@Nullable Throwable> closeCause = new AtomicReference<>();
  private volatile boolean lingers = true;
  private volatile boolean allSent;
  private volatile Peer peer = Peer.ofAddress("unknown", 0);

  private @Nullable ChannelHandlerContext context;
  private @Nullable FrameWriter writer;
  private @Nullable ConnectionHandler handler;
  private @Nullable ScheduledFuture<?> closeTimer;
  private boolean lingering;
  private boolean reportedWritable = true;

  NettyConnection(
      long id,
      Endpoint endpoint,
      Channel channel,
      TransportOptions options,
      ConnectionOwner owner,
      ConnectionHandler.Factory handlers) {
    this.id = id;
    this.endpoint = endpoint;
    this.channel = channel;
    this.options = options;
    this.owner = owner;
    this.handlers = handlers;
    this.inbound = new InboundPath(this, channel, options);
    this.outbound = new OutboundPath(this, options);
  }

  /** Puts the connection onto its channel, before the channel is active. */
  void attach() {
    channel.config().setRecvByteBufAllocator(inbound::readHandle);
    if (!options.idleTimeout().isZero()) {
      // Counts a partial write as traffic: a large file slice to a slow peer is not idle.
      channel
          .pipeline()
          .addLast(
              new IdleStateHandler(
                  true, 0, 0, options.idleTimeout().toNanos(), TimeUnit.NANOSECONDS));
    }
    channel.pipeline().addLast(new FrameChannelHandler(this));
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
    inbound.resume();
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

  /** Closes as {@link #close()} does, but without a wait for the peer's end. From any thread. */
  void closeWithoutLinger() {
    lingers = false;
    close();
    onLoop(
        () -> {
          if (lingering) {
            channel.close();
          }
        });
  }

  /**
   * Cuts the connection; the first cause is the one that the handler hears. Once everything sent
   * before a close has left, an error changes nothing about its good order.
   */
  @Override
  public void abort(Throwable cause) {
    if (state.compareAndSet(State.OPEN, State.CLOSING) || !allSent) {
      closeCause.compareAndSet(null, cause);
      LOG.debug("connection cut, peer={}", peer, cause);
    }
    outbound.seal();
    onLoop(this::closeChannel);
  }

  /** Runs a task on the event loop, never inside this call; drops it where the loop has ended. */
  void onLoop(Runnable task) {
    try {
      channel.eventLoop().execute(task);
    } catch (RejectedExecutionException e) {
      LOG.trace("task dropped as the transport is closed, peer={}", peer, e);
    }
  }

  /** Learns where to write. */
  void attached(ChannelHandlerContext channelContext) {
    context = channelContext;
    writer = new FrameWriter(channelContext, outbound);
  }

  /** Begins the connection. */
  void opened() {
    peer = peerOf(channel.remoteAddress());
    if (channel.remoteAddress() != null && channel.remoteAddress().equals(channel.localAddress())) {
      // A connect to a free port of this host may get that very port as its own and meet itself.
      abort(new IOException("connection refused: nobody listens, connected to itself"));
      return;
    }
    if (!owner.opened(this)) {
      abort(new IOException("transport is closed"));
      return;
    }
    try {
      ConnectionHandler created = handlers.create(this);
      handler = created;
      created.onOpen(this);
      whenOpen.complete(this);
    } catch (Throwable e) {
      handlerFailed("onOpen", e);
    }
  }

  /** Whether frames are delivered: from the first event to the close by either side. */
  boolean isOpen() {
    return state.get() == State.OPEN;
  }

  /** What comes in; the channel's events go there. */
  InboundPath inbound() {
    return inbound;
  }

  /** The peer will send no more, and all that it has sent is delivered. */
  void inputExhausted() {
    if (lingering) {
      channel.close();
    } else if (state.compareAndSet(State.OPEN, State.CLOSING)) {
      outbound.seal();
      // Not in a later task: Netty's epoll (4.2.18) stops watching a socket whose input has ended,
      // and
      // then fails to watch for room to write, unless it does so already when this event ends.
      beginClose();
    }
  }

  /** Hands a frame to the handler; what that throws ends the connection. */
  void deliver(NettyInboundFrame frame) {
    ConnectionHandler target = handler;
    if (target == null) {
      frame.release();
      return;
    }
    try {
      target.onFrame(this, frame);
    } catch (Throwable e) {
      handlerFailed("onFrame", e);
    }
  }

  /** The peer has sent a length that can't be. */
  void framingFailed(FrameLengthException error) {
    owner.framingError(this, error);
    abort(error);
  }

  /** The time without traffic is over. */
  void idle() {
    abort(new IOException("no traffic with peer %s for %s".formatted(peer, options.idleTimeout())));
  }

  /** Writes what is queued. */
  void drain() {
    FrameWriter out = writer;
    ChannelHandlerContext channelContext = context;
    if (out == null || channelContext == null || state.get() == State.CLOSED) {
      outbound.end();
      return;
    }
    try {
      outbound.drainTo(out);
      channelContext.flush();
    } catch (RuntimeException e) {
      LOG.warn("frame can't be written, connection is cut, peer={}", peer, e);
      abort(e);
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

  /** The channel is closed: releases everything and tells the handler. */
  void ended() {
    state.set(State.CLOSED);
    if (closeTimer != null) {
      closeTimer.cancel(false);
    }
    inbound.release();
    if (writer != null) {
      writer.release();
    }
    outbound.end();
    owner.ended(this);
    Throwable cause = closeCause.get();
    if (handler != null) {
      try {
        handler.onClosed(this, cause);
      } catch (Throwable e) {
        handlerFailed("onClosed", e);
      }
    }
    whenOpen.completeExceptionally(
        new IOException("connection to " + endpoint + " ended before it was open", cause));
    whenEnded.complete(null);
  }

  private void beginClose() {
    ChannelHandlerContext channelContext = context;
    inbound.release();
    if (channelContext == null || !channel.isActive()) {
      channel.close();
      return;
    }
    closeTimer =
        channel.eventLoop().schedule(this::closeUnsent, CLOSE_FLUSH_SECONDS, TimeUnit.SECONDS);
    drain();
    channelContext
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(sent -> endOutput(sent.cause()));
  }

  private void closeChannel() {
    channel.close();
  }

  private void closeUnsent() {
    closeCause.compareAndSet(
        null,
        new IOException(
            "peer %s did not take %d pending bytes within %d s of the close"
                .formatted(peer, outbound.pendingCost(), CLOSE_FLUSH_SECONDS)));
    channel.close();
  }

  private void endOutput(@Nullable Throwable failure) {
    if (failure != null) {
      closeCause.compareAndSet(null, failure);
    } else {
      allSent = true;
    }
    if (failure != null
        || inbound.isEnded()
        || !lingers
        || !(channel instanceof DuplexChannel duplex)) {
      channel.close();
      return;
    }
    if (closeTimer != null) {
      closeTimer.cancel(false);
    }
    closeTimer =
        channel.eventLoop().schedule(this::closeChannel, CLOSE_LINGER_SECONDS, TimeUnit.SECONDS);
    lingering = true;
    duplex.shutdownOutput();
    channel.config().setAutoRead(true);
  }

  private void report(boolean nowWritable) {
    reportedWritable = nowWritable;
    if (handler == null || state.get() != State.OPEN) {
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

  private static Peer peerOf(@Nullable SocketAddress address) {
    if (address instanceof InetSocketAddress inet && inet.getAddress() != null) {
      return Peer.ofAddress(inet.getAddress().getHostAddress(), inet.getPort());
    }
    return Peer.ofAddress(String.valueOf(address), 0);
  }
}
