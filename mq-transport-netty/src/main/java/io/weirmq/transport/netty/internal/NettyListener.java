package io.weirmq.transport.netty.internal;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Promise;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.ListenerCounters;
import io.weirmq.transport.support.ConnectionLimits;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listening socket with its counters. Safe for use by several threads. */
final class NettyListener implements Listener, ConnectionOwner {

  private static final Logger LOG = LoggerFactory.getLogger(NettyListener.class);

  /** How long a turn of the acceptor's loop may take; it does nothing but accept. */
  private static final long TURN_MILLIS = 1_000;

  private final Endpoint asked;
  private final NettyTransport transport;
  private final ConnectionLimits limits;
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong open = new AtomicLong();
  private final AtomicLong framingErrors = new AtomicLong();
  private volatile @Nullable Channel server;
  private volatile Endpoint bound;

  NettyListener(Endpoint asked, NettyTransport transport, ConnectionLimits limits) {
    this.asked = asked;
    this.transport = transport;
    this.limits = limits;
    this.bound = asked;
  }

  /** Takes over the bound socket. */
  void bound(Channel serverChannel) {
    server = serverChannel;
    bound = asked.withPort(((InetSocketAddress) serverChannel.localAddress()).getPort());
  }

  /** Returns the handler that turns connections away before they are set up. */
  ChannelInboundHandlerAdapter admission() {
    return new Admission();
  }

  @Override
  public Endpoint endpoint() {
    return bound;
  }

  @Override
  public int connectionCount() {
    return (int) open.get();
  }

  @Override
  public ListenerCounters counters() {
    return new ListenerCounters(accepted.get(), refused.get(), open.get(), framingErrors.get());
  }

  @Override
  public void close() {
    Channel serverChannel = server;
    if (serverChannel != null) {
      serverChannel.close().awaitUninterruptibly();
      awaitNextTurn(serverChannel.eventLoop());
    }
    transport.forget(this);
  }

  @Override
  public boolean opened(NettyConnection connection) {
    return transport.opened(connection);
  }

  @Override
  public void ended(NettyConnection connection) {
    transport.ended(connection);
  }

  @Override
  public void framingError(NettyConnection connection, FrameLengthException error) {
    framingErrors.incrementAndGet();
    transport.framingError(connection, error);
  }

  /**
   * Waits for the loop to look at its selector once more: with Java's selectors a closed socket
   * stays bound, and the system goes on accepting, until then. A timer that is set inside the loop
   * runs behind that look, which a plain task need not.
   */
  private static void awaitNextTurn(EventLoop loop) {
    Promise<Void> turned = loop.newPromise();
    try {
      loop.execute(() -> loop.schedule(() -> turned.setSuccess(null), 0, TimeUnit.NANOSECONDS));
      turned.awaitUninterruptibly(TURN_MILLIS);
    } catch (RejectedExecutionException e) {
      LOG.trace("the event loop has ended, and its selector with it", e);
    }
  }

  private static String hostOf(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress inet && inet.getAddress() != null
        ? inet.getAddress().getHostAddress()
        : "unknown";
  }

  /** Stands before Netty's own acceptor in the server channel's pipeline. */
  private final class Admission extends ChannelInboundHandlerAdapter {

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Channel child = (Channel) message;
      String host = hostOf(child);
      String limit = limits.tryAcquire(host);
      if (limit != null) {
        refused.incrementAndGet();
        transport.refused(bound, host, limit);
        child.unsafe().closeForcibly();
        return;
      }
      accepted.incrementAndGet();
      open.incrementAndGet();
      child
          .closeFuture()
          .addListener(
              closed -> {
                open.decrementAndGet();
                limits.release(host);
              });
      context.fireChannelRead(child);
    }
  }
}
