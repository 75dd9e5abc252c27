package io.weirmq.transport.netty.internal;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.support.ConnectionLimits;
import io.weirmq.transport.support.RateLimit;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP: owns the event loops, the listeners and the connections. Safe for use by several threads.
 */
public final class NettyTransport implements Transport, ConnectionOwner {

  private static final Logger LOG = LoggerFactory.getLogger(NettyTransport.class);

  /** Connections that the system may hold ready for us to accept. */
  private static final int BACKLOG = 1024;

  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

  /** How long frames sent before {@link #close()} may take to leave. */
  private static final long CLOSE_FLUSH_MILLIS = 1_000;

  /** How long the end of connections and threads may take after that. */
  private static final long CLOSE_END_MILLIS = 5_000;

  private final TransportOptions options;
  private final IoBackend backend;
  private final ByteBufAllocator allocator;
  private final EventLoopGroup acceptor;
  private final EventLoopGroup workers;
  private final HostResolver resolver;
  private final ConnectionLimits limits;
  private final RateLimit framingErrorReports;
  private final RateLimit refusalReports;
  private final Queue<Thread> loopThreads = new ConcurrentLinkedQueue<>();
  private final Set<NettyListener> listeners = ConcurrentHashMap.newKeySet();
  private final Set<NettyConnection> connections = ConcurrentHashMap.newKeySet();
  private final Map<Long, CompletableFuture<Connection>> connecting = new ConcurrentHashMap<>();
  private final AtomicLong nextConnectId = new AtomicLong();
  private final AtomicLong nextConnectionId = new AtomicLong(1);
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  /**
   * Opens a transport.
   *
   * @param backend which sockets to use
   * @param options limits and sizes
   * @param allocator gives the memory of read and write buffers
   */
  public NettyTransport(IoBackend backend, TransportOptions options, ByteBufAllocator allocator) {
    this.options = options;
    this.backend = backend;
    this.allocator = allocator;
    String prefix = options.threadNamePrefix();
    this.acceptor =
        new MultiThreadIoEventLoopGroup(1, loopThreads(prefix + "-accept"), backend.loops());
    this.workers =
        new MultiThreadIoEventLoopGroup(options.ioThreads(), loopThreads(prefix), backend.loops());
    this.resolver = new HostResolver(threads(prefix + "-resolve"));
    this.limits =
        new ConnectionLimits(options.connectionsMax(), options.connectionsPerHostMax(), "host");
    this.framingErrorReports = new RateLimit(workers.ticker()::nanoTime);
    this.refusalReports = new RateLimit(workers.ticker()::nanoTime);
  }

  @Override
  public Listener listen(Endpoint endpoint, ConnectionHandler.Factory handlers) throws IOException {
    NettyListener listener = new NettyListener(endpoint, this, limits);
    try {
      requireOpen();
      Channel server = bind(endpoint, listener, handlers);
      listener.bound(server);
      listeners.add(listener);
      if (closing.get()) {
        listener.close();
        requireOpen();
      }
      return listener;
    } catch (IOException | RuntimeException e) {
      throw new IOException("cannot listen on " + endpoint + ": " + reason(e), e);
    }
  }

  @Override
  public CompletionStage<Connection> connect(Endpoint endpoint, ConnectionHandler handler) {
    CompletableFuture<Connection> result = new CompletableFuture<>();
    long connectId = nextConnectId.getAndIncrement();
    connecting.put(connectId, result);
    result.whenComplete((connection, failure) -> connecting.remove(connectId));
    if (closing.get()) {
      connectFailed(endpoint, result, new IOException("transport is closed"));
      return result;
    }
    resolver
        .resolve(endpoint)
        .whenComplete(
            (address, failure) -> {
              if (failure != null) {
                connectFailed(endpoint, result, failure);
              } else {
                connect(endpoint, address, handler, result);
              }
            });
    return result;
  }

  @Override
  public void close() {
    requireForeignThread();
    if (!closing.compareAndSet(false, true)) {
      awaitQuietly(closed, CLOSE_FLUSH_MILLIS + 2 * CLOSE_END_MILLIS);
      return;
    }
    List.copyOf(listeners).forEach(NettyListener::close);
    resolver.close();
    List.copyOf(connections).forEach(NettyConnection::closeWithoutLinger);
    awaitConnections(CLOSE_FLUSH_MILLIS);
    List.copyOf(connections)
        .forEach(connection -> connection.abort(new IOException("transport is closed")));
    awaitConnections(CLOSE_END_MILLIS);
    acceptor.shutdownGracefully(0, CLOSE_END_MILLIS, TimeUnit.MILLISECONDS);
    workers.shutdownGracefully(0, CLOSE_END_MILLIS, TimeUnit.MILLISECONDS);
    acceptor.terminationFuture().awaitUninterruptibly(CLOSE_END_MILLIS);
    workers.terminationFuture().awaitUninterruptibly(CLOSE_END_MILLIS);
    loopThreads.forEach(NettyTransport::joinQuietly);
    for (CompletableFuture<Connection> pending : List.copyOf(connecting.values())) {
      pending.completeExceptionally(new IOException("transport was closed while connecting"));
    }
    closed.complete(null);
  }

  @Override
  public boolean opened(NettyConnection connection) {
    connections.add(connection);
    return !closing.get();
  }

  @Override
  public void ended(NettyConnection connection) {
    connections.remove(connection);
  }

  @Override
  public void framingError(NettyConnection connection, FrameLengthException error) {
    long leftOut = framingErrorReports.tryPass();
    if (leftOut >= 0) {
      LOG.warn(
          "connection cut: {}, peer={}, endpoint={} ({} like it since the last such line)",
          error.getMessage(),
          connection.peer(),
          connection.endpoint(),
          leftOut);
    }
  }

  /** Reports a connection that was turned away. */
  void refused(Endpoint endpoint, String host, String limit) {
    long leftOut = refusalReports.tryPass();
    if (leftOut >= 0) {
      LOG.warn(
          "connection refused: {} reached, peer={}, endpoint={} ({} like it since the last such"
              + " line)",
          limit,
          host,
          endpoint,
          leftOut);
    }
  }

  /** Drops a listener that was closed. */
  void forget(NettyListener listener) {
    listeners.remove(listener);
  }

  private Channel bind(
      Endpoint endpoint, NettyListener listener, ConnectionHandler.Factory handlers)
      throws IOException {
    InetSocketAddress address = HostResolver.resolveNow(endpoint);
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(acceptor, workers)
            .channel(backend.serverChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .handler(listener.admission())
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    newConnection(listener.endpoint(), channel, listener, handlers).attach();
                  }
                });
    if (options.socketReceiveBufferBytes() > 0) {
      // On the listening socket, as the window is agreed on before a connection is accepted.
      bootstrap.option(ChannelOption.SO_RCVBUF, options.socketReceiveBufferBytes());
    }
    if (options.socketSendBufferBytes() > 0) {
      bootstrap.childOption(ChannelOption.SO_SNDBUF, options.socketSendBufferBytes());
    }
    ChannelFuture bind = bootstrap.bind(address).awaitUninterruptibly();
    if (!bind.isSuccess()) {
      throw new IOException(reason(bind.cause()), bind.cause());
    }
    return bind.channel();
  }

  private void connect(
      Endpoint endpoint,
      InetSocketAddress address,
      ConnectionHandler handler,
      CompletableFuture<Connection> result) {
    try {
      Bootstrap bootstrap = new Bootstrap();
      if (options.socketReceiveBufferBytes() > 0) {
        bootstrap.option(ChannelOption.SO_RCVBUF, options.socketReceiveBufferBytes());
      }
      if (options.socketSendBufferBytes() > 0) {
        bootstrap.option(ChannelOption.SO_SNDBUF, options.socketSendBufferBytes());
      }
      bootstrap
          .group(workers)
          .channel(backend.clientChannel())
          .option(ChannelOption.ALLOCATOR, allocator)
          .option(ChannelOption.TCP_NODELAY, true)
          .option(ChannelOption.SO_KEEPALIVE, true)
          .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
          .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
          .handler(
              new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                  NettyConnection connection =
                      newConnection(endpoint, channel, NettyTransport.this, made -> handler);
                  connection.attach();
                  connection
                      .whenOpen()
                      .whenComplete(
                          (opened, failure) -> {
                            if (failure == null) {
                              result.complete(opened);
                            } else {
                              connectFailed(endpoint, result, failure);
                            }
                          });
                }
              })
          .connect(address)
          .addListener(
              connected -> {
                if (!connected.isSuccess()) {
                  connectFailed(endpoint, result, connected.cause());
                }
              });
    } catch (RuntimeException e) {
      connectFailed(endpoint, result, e);
    }
  }

  private NettyConnection newConnection(
      Endpoint endpoint,
      Channel channel,
      ConnectionOwner owner,
      ConnectionHandler.Factory handlers) {
    return new NettyConnection(
        nextConnectionId.getAndIncrement(), endpoint, channel, options, owner, handlers);
  }

  private static void connectFailed(
      Endpoint endpoint, CompletableFuture<Connection> result, Throwable cause) {
    result.completeExceptionally(
        new IOException("cannot connect to " + endpoint + ": " + reason(cause), cause));
  }

  private void requireOpen() throws IOException {
    if (closing.get()) {
      throw new IOException("transport is closed");
    }
  }

  private void requireForeignThread() {
    for (EventExecutor loop : workers) {
      if (loop.inEventLoop()) {
        throw new IllegalStateException(
            "a transport can't be closed from a callback: the close waits for the calling thread");
      }
    }
  }

  private void awaitConnections(long millis) {
    awaitQuietly(
        CompletableFuture.allOf(
            connections.stream()
                .map(NettyConnection::whenEnded)
                .toArray(CompletableFuture<?>[]::new)),
        millis);
  }

  /** Waits for an end that has a bound anyway; what is left over then is cut. */
  private static void awaitQuietly(CompletableFuture<?> end, long millis) {
    try {
      end.get(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("still waiting after {} ms", millis, e);
    }
  }

  private static String reason(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }

  /** A loop reports its end a moment before its thread has ended. */
  private static void joinQuietly(Thread thread) {
    try {
      thread.join(CLOSE_END_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Makes the threads of event loops, one for each as long as it lives, and remembers them. */
  private ThreadFactory loopThreads(String prefix) {
    ThreadFactory threads = threads(prefix);
    return task -> {
      Thread thread = threads.newThread(task);
      loopThreads.add(thread);
      return thread;
    };
  }

  private static ThreadFactory threads(String prefix) {
    AtomicInteger next = new AtomicInteger();
    return task -> new FastThreadLocalThread(task, prefix + "-" + next.getAndIncrement());
  }
}
