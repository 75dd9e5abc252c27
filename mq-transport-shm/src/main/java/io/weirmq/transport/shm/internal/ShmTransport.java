package io.weirmq.transport.shm.internal;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Peer;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.ShmOptions;
import io.weirmq.transport.shm.internal.folder.FolderNames;
import io.weirmq.transport.shm.internal.folder.MappingLedger;
import io.weirmq.transport.shm.internal.folder.ServerFolder;
import io.weirmq.transport.shm.internal.handshake.Acceptor;
import io.weirmq.transport.shm.internal.handshake.ClientHandshake;
import io.weirmq.transport.shm.internal.handshake.Established;
import io.weirmq.transport.shm.internal.loop.EventLoop;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import jdk.net.UnixDomainPrincipal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shared memory: owns the I/O threads, the listeners and the connections. Safe for use by several
 * threads.
 */
public final class ShmTransport implements Transport, ConnectionOwner {

  private static final Logger LOG = LoggerFactory.getLogger(ShmTransport.class);

  /** How long frames sent before {@link #close()} may take to leave. */
  private static final long CLOSE_FLUSH_MILLIS = 1_000;

  /** How long the end of connections and threads may take after that. */
  private static final long CLOSE_END_MILLIS = 5_000;

  private final TransportOptions options;
  private final ShmOptions shmOptions;
  private final Environment environment;
  private final IoThread handshakes;
  private final List<IoThread> ioThreads;
  private final MappingLedger ledger;
  private final ConnectionLimits limits;
  private final RateLimitedLog framingErrorLog;
  private final RateLimitedLog handshakeLog;
  private final Map<ShmListener, Acceptor> listeners = new ConcurrentHashMap<>();
  private final Set<ShmConnection> connections = ConcurrentHashMap.newKeySet();
  private final Set<ClientHandshake> connecting = ConcurrentHashMap.newKeySet();
  private final AtomicLong nextConnectionId = new AtomicLong(1);
  private final AtomicInteger nextIoThread = new AtomicInteger();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  private ShmTransport(
      TransportOptions options,
      ShmOptions shmOptions,
      Environment environment,
      IoThread handshakes,
      List<IoThread> ioThreads) {
    this.options = options;
    this.shmOptions = shmOptions;
    this.environment = environment;
    this.handshakes = handshakes;
    this.ioThreads = List.copyOf(ioThreads);
    this.ledger = environment.ledger();
    this.limits = new ConnectionLimits(options);
    this.framingErrorLog = new RateLimitedLog(LOG, environment.nanoClock());
    this.handshakeLog = new RateLimitedLog(LOG, environment.nanoClock());
  }

  /**
   * Opens a transport and starts its threads.
   *
   * @param environment what comes from outside: time, chance, the user
   * @throws IOException where the system gives no selector
   */
  public static ShmTransport open(
      TransportOptions options, ShmOptions shmOptions, Environment environment) throws IOException {
    String prefix = options.threadNamePrefix();
    List<IoThread> threads = new ArrayList<>();
    for (int i = 0; i <= options.ioThreads(); i++) {
      EventLoop loop = EventLoop.open(environment.nanoClock(), shmOptions.waitStrategy());
      threads.add(IoThread.create(loop, prefix + (i == 0 ? "-handshake" : "-" + (i - 1))));
    }
    ShmTransport transport =
        new ShmTransport(
            options, shmOptions, environment, threads.get(0), threads.subList(1, threads.size()));
    threads.forEach(each -> each.thread().start());
    return transport;
  }

  @Override
  public Listener listen(Endpoint endpoint, ConnectionHandler.Factory handlers) throws IOException {
    try {
      requireOpen();
      ServerFolder folder =
          ServerFolder.open(
              FolderNames.folder(endpoint.host()), environment.self(), environment.random());
      ShmListener listener = new ShmListener(endpoint, this, handlers);
      Acceptor acceptor =
          new Acceptor(
              handshakes.loop(),
              folder,
              listener,
              shmOptions,
              environment.self(),
              environment.handshakeLimits());
      listeners.put(listener, acceptor);
      handshakes.loop().execute(() -> start(listener, acceptor));
      if (closing.get()) {
        listener.close();
        requireOpen();
      }
      return listener;
    } catch (IOException | RuntimeException e) {
      throw new IOException("cannot listen on " + endpoint + ": " + reason(e), e);
    }
  }

  private static void start(ShmListener listener, Acceptor acceptor) {
    try {
      acceptor.start();
    } catch (IOException e) {
      LOG.error("cannot accept on {}", listener.endpoint(), e);
    }
  }

  /** Stops accepting and gives the folder free; returns when that is done. */
  void closeListener(ShmListener listener) {
    Acceptor acceptor = listeners.remove(listener);
    if (acceptor == null) {
      return;
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    handshakes
        .loop()
        .execute(
            () -> {
              try {
                acceptor.close();
              } catch (IOException | RuntimeException e) {
                LOG.warn("folder of {} can't be cleaned up", listener.endpoint(), e);
              } finally {
                done.complete(null);
              }
            });
    awaitQuietly(done, CLOSE_END_MILLIS);
  }

  @Override
  public CompletionStage<Connection> connect(Endpoint endpoint, ConnectionHandler handler) {
    CompletableFuture<Connection> result = new CompletableFuture<>();
    try {
      requireOpen();
      ClientHandshake handshake =
          new ClientHandshake(
              handshakes.loop(),
              FolderNames.folder(endpoint.host()),
              shmOptions,
              environment.self(),
              environment.handshakeLimits());
      connecting.add(handshake);
      handshake
          .result()
          .whenComplete(
              (established, failure) -> {
                connecting.remove(handshake);
                if (failure != null) {
                  connectFailed(endpoint, result, failure);
                } else {
                  connected(endpoint, established, handler, result);
                }
              });
      handshakes.loop().execute(handshake::start);
      if (closing.get()) {
        handshakes.loop().execute(() -> handshake.cancel("transport is closed"));
      }
    } catch (IOException e) {
      connectFailed(endpoint, result, e);
    }
    return result;
  }

  private void connected(
      Endpoint endpoint,
      Established established,
      ConnectionHandler handler,
      CompletableFuture<Connection> result) {
    try {
      UnixDomainPrincipal user = established.user();
      ShmConnection connection =
          newConnection(
              endpoint,
              new Peer(endpoint.host(), 0, null, unixUser(user)),
              established.socket(),
              SharedRings.ofClient(established, ledger),
              this,
              made -> handler);
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
      connection.onLoop(connection::start);
    } catch (IOException e) {
      established.close();
      connectFailed(endpoint, result, e);
    }
  }

  /** Takes a connection over from its handshake. */
  void accepted(ShmListener listener, Established established, ConnectionHandler.Factory handlers) {
    String user = established.user().user().getName();
    try {
      ShmConnection connection =
          newConnection(
              listener.endpoint(),
              new Peer(user, 0, null, unixUser(established.user())),
              established.socket(),
              SharedRings.ofServer(established, ledger),
              listener,
              handlers);
      connection.onLoop(connection::start);
    } catch (IOException e) {
      listener.left(user);
      established.close();
      handshakeFailed(listener.endpoint(), reason(e));
    }
  }

  private ShmConnection newConnection(
      Endpoint endpoint,
      Peer peer,
      SocketChannel socket,
      SharedRings rings,
      ConnectionOwner owner,
      ConnectionHandler.Factory handlers) {
    int number = Math.floorMod(nextIoThread.getAndIncrement(), ioThreads.size());
    return new ShmConnection(
        nextConnectionId.getAndIncrement(),
        endpoint,
        peer,
        socket,
        rings,
        ioThreads.get(number),
        shmOptions.waitStrategy(),
        options,
        owner,
        handlers);
  }

  @Override
  public void close() {
    requireForeignThread();
    if (!closing.compareAndSet(false, true)) {
      awaitQuietly(closed, CLOSE_FLUSH_MILLIS + 2 * CLOSE_END_MILLIS);
      return;
    }
    List.copyOf(listeners.keySet()).forEach(ShmListener::close);
    for (ClientHandshake handshake : connecting) {
      handshakes.loop().execute(() -> handshake.cancel("transport was closed while connecting"));
    }
    List.copyOf(connections).forEach(ShmConnection::close);
    awaitConnections(CLOSE_FLUSH_MILLIS);
    List.copyOf(connections)
        .forEach(connection -> connection.abort(new IOException("transport is closed")));
    awaitConnections(CLOSE_END_MILLIS);
    // The handshake thread first, so that it hands over nothing more.
    stop(handshakes);
    List.copyOf(connections)
        .forEach(connection -> connection.abort(new IOException("transport is closed")));
    awaitConnections(CLOSE_END_MILLIS);
    ioThreads.forEach(ShmTransport::stop);
    closed.complete(null);
  }

  @Override
  public boolean opened(ShmConnection connection) {
    connections.add(connection);
    return !closing.get();
  }

  @Override
  public void ended(ShmConnection connection) {
    connections.remove(connection);
  }

  @Override
  public void framingError(ShmConnection connection, IOException error) {
    framingErrorLog.warn(
        "connection cut: %s, peer=%s, endpoint=%s"
            .formatted(error.getMessage(), connection.peer(), connection.endpoint()));
  }

  /** Reports a peer that was turned away, or did not get through the handshake. */
  void handshakeFailed(Endpoint endpoint, String reason) {
    handshakeLog.warn("connection refused: %s, endpoint=%s".formatted(reason, endpoint));
  }

  ConnectionLimits limits() {
    return limits;
  }

  /** Closed mappings that the garbage collector has not found yet. */
  public int closedMappingCount() {
    return ledger.closedCount();
  }

  /** Whether all I/O threads are blocked in their selectors, so that nothing is polled. */
  public boolean isAsleep() {
    return ioThreads.stream().allMatch(each -> each.loop().isAsleep());
  }

  /** How often I/O threads have gone to sleep. */
  public long sleepCount() {
    return ioThreads.stream().mapToLong(each -> each.loop().sleepCount()).sum();
  }

  /** Handshakes of all listeners that are under way. */
  public int handshakeCount() {
    return listeners.values().stream().mapToInt(Acceptor::underWayCount).sum();
  }

  private static Peer.UnixUser unixUser(UnixDomainPrincipal principal) {
    return new Peer.UnixUser(principal.user().getName(), principal.group().getName());
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
    Thread current = Thread.currentThread();
    if (current == handshakes.thread()
        || ioThreads.stream().anyMatch(each -> each.thread() == current)) {
      throw new IllegalStateException(
          "a transport can't be closed from a callback: the close waits for the calling thread");
    }
  }

  private void awaitConnections(long millis) {
    awaitQuietly(
        CompletableFuture.allOf(
            connections.stream()
                .map(ShmConnection::whenEnded)
                .toArray(CompletableFuture<?>[]::new)),
        millis);
  }

  private static void stop(IoThread thread) {
    thread.loop().stop();
    try {
      thread.thread().join(CLOSE_END_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
}
