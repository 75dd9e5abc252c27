package io.weirmq.transport.shm.internal;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.ShmOptions;
import io.weirmq.transport.shm.internal.folder.FolderAccess;
import io.weirmq.transport.shm.internal.folder.FolderNames;
import io.weirmq.transport.shm.internal.folder.ServerFolder;
import io.weirmq.transport.shm.internal.handshake.Acceptor;
import io.weirmq.transport.shm.internal.handshake.ClientHandshake;
import io.weirmq.transport.shm.internal.handshake.Established;
import io.weirmq.transport.support.ConnectionLimits;
import io.weirmq.transport.support.RateLimit;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shared memory: owns the {@link IoThreads}, the listeners and the {@link Connections}. Safe for
 * use by several threads.
 */
public final class ShmTransport implements Transport, ConnectionOwner {

  private static final Logger LOG = LoggerFactory.getLogger(ShmTransport.class);

  /** How long frames sent before {@link #close()} may take to leave. */
  private static final long CLOSE_FLUSH_MILLIS = 1_000;

  /** How long the end of connections and threads may take after that. */
  private static final long CLOSE_END_MILLIS = 5_000;

  /**
   * How long the handshake thread may take to begin to accept, which is a matter of microseconds.
   */
  private static final long START_MILLIS = 5_000;

  private final ShmOptions shmOptions;
  private final Environment environment;
  private final FolderAccess access;
  private final IoThreads threads;
  private final Connections connections;
  private final ConnectionLimits limits;
  private final WaitCounters waits = new WaitCounters();
  private final RateLimit framingErrorReports;
  private final RateLimit handshakeReports;
  private final Map<ShmListener, Acceptor> listeners = new ConcurrentHashMap<>();
  private final Set<ClientHandshake> connecting = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  private ShmTransport(
      TransportOptions options,
      ShmOptions shmOptions,
      Environment environment,
      FolderAccess access,
      IoThreads threads) {
    this.shmOptions = shmOptions;
    this.environment = environment;
    this.access = access;
    this.threads = threads;
    this.connections = new Connections(options, shmOptions.waitStrategy(), threads);
    this.limits =
        new ConnectionLimits(options.connectionsMax(), options.connectionsPerHostMax(), "user");
    this.framingErrorReports = new RateLimit(environment.nanoClock());
    this.handshakeReports = new RateLimit(environment.nanoClock());
  }

  /**
   * Opens a transport and starts its threads.
   *
   * @param environment what comes from outside: time, chance, the user
   * @throws IOException where the system gives no selector, or does not know the group of the
   *     options
   */
  public static ShmTransport open(
      TransportOptions options, ShmOptions shmOptions, Environment environment) throws IOException {
    FolderAccess access = FolderAccess.of(environment.self(), shmOptions.group());
    return new ShmTransport(
        options,
        shmOptions,
        environment,
        access,
        IoThreads.start(options, shmOptions, environment));
  }

  /**
   * Opens a transport without threads, for callers of {@link #poll}.
   *
   * @throws IOException as {@link #open} does
   */
  static ShmTransport openPolled(
      TransportOptions options, ShmOptions shmOptions, Environment environment) throws IOException {
    FolderAccess access = FolderAccess.of(environment.self(), shmOptions.group());
    return new ShmTransport(
        options, shmOptions, environment, access, IoThreads.polled(shmOptions, environment));
  }

  /** Runs the loop of a transport without threads; see {@link PolledShmTransport#poll}. */
  int poll(long timeoutMillis) {
    return threads.handshakes().poll(timeoutMillis);
  }

  /** Ends such a poll. */
  void wakeup() {
    threads.handshakes().wakeup();
  }

  @Override
  public Listener listen(Endpoint endpoint, ConnectionHandler.Factory handlers) throws IOException {
    ShmListener listener = new ShmListener(endpoint, this, handlers);
    bind(listener);
    return listener;
  }

  private void bind(ShmListener listener) throws IOException {
    Endpoint endpoint = listener.endpoint();
    try {
      requireOpen();
      ServerFolder folder =
          ServerFolder.open(FolderNames.folder(endpoint.host()), access, environment.random());
      Acceptor acceptor =
          new Acceptor(
              threads.handshakes(),
              folder,
              listener,
              shmOptions,
              access,
              environment.handshakeLimits(),
              environment.ledger());
      listeners.put(listener, acceptor);
      try {
        start(acceptor);
        requireOpen();
      } catch (IOException | RuntimeException e) {
        closeListener(listener);
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      throw new IOException("cannot listen on " + endpoint + ": " + reason(e), e);
    }
  }

  /** Binds a listener again whose socket has lost its name; see {@link Listener#renew}. */
  boolean renew(ShmListener listener) throws IOException {
    synchronized (listener) {
      Acceptor bound = listeners.get(listener);
      if (listener.isClosed() || (bound != null && bound.isNamed())) {
        return false;
      }
      closeListener(listener); // else its lock, of a file that nobody finds, is in the way
      bind(listener);
      if (listener.isClosed()) { // meanwhile, and may have found nothing to close
        closeListener(listener);
        return false;
      }
      return true;
    }
  }

  /** Has an acceptor begin; returns when it accepts. */
  private void start(Acceptor acceptor) throws IOException {
    CompletableFuture<Void> started = new CompletableFuture<>();
    boolean runs =
        threads
            .handshakes()
            .execute(
                () -> {
                  try {
                    acceptor.start();
                    started.complete(null);
                  } catch (IOException | RuntimeException e) {
                    started.completeExceptionally(e);
                  }
                });
    if (!runs) {
      throw new IOException("transport is closed");
    }
    if (!threads.await(started, START_MILLIS)) {
      throw new IOException("the handshake thread is busy for %d ms".formatted(START_MILLIS));
    }
    try {
      started.join();
    } catch (CompletionException e) {
      throw new IOException("connections can't be accepted: " + e.getCause(), e.getCause());
    }
  }

  /** Stops accepting and gives the folder free; returns when that is done. */
  void closeListener(ShmListener listener) {
    Acceptor acceptor = listeners.remove(listener);
    if (acceptor == null) {
      return;
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    boolean runs =
        threads
            .handshakes()
            .execute(
                () -> {
                  cleanUp(listener, acceptor::close);
                  done.complete(null);
                });
    if (runs) {
      await(done, CLOSE_END_MILLIS);
    } else {
      cleanUp(listener, acceptor::closeFolder);
    }
  }

  private interface CleanUp {
    void run() throws IOException;
  }

  private static void cleanUp(ShmListener listener, CleanUp cleanUp) {
    try {
      cleanUp.run();
    } catch (IOException | RuntimeException e) {
      LOG.warn("folder of {} can't be cleaned up", listener.endpoint(), e);
    }
  }

  @Override
  public CompletionStage<Connection> connect(Endpoint endpoint, ConnectionHandler handler) {
    CompletableFuture<Connection> result = new CompletableFuture<>();
    try {
      requireOpen();
      ClientHandshake handshake =
          new ClientHandshake(
              threads.handshakes(),
              FolderNames.folder(endpoint.host()),
              shmOptions,
              access,
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
      // Those that were entered before are cancelled by the close.
      if (!threads.handshakes().execute(() -> startUnlessClosed(handshake))) {
        connecting.remove(handshake);
        throw new IOException("transport is closed");
      }
    } catch (IOException e) {
      connectFailed(endpoint, result, e);
    }
    return result;
  }

  private void startUnlessClosed(ClientHandshake handshake) {
    if (closing.get()) {
      handshake.cancel("transport is closed");
    } else {
      handshake.start();
    }
  }

  private void connected(
      Endpoint endpoint,
      Established established,
      ConnectionHandler handler,
      CompletableFuture<Connection> result) {
    established.rings().enter(environment.ledger());
    try {
      ShmConnection connection = connections.connect(endpoint, established, this, handler);
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
      connection.begin();
    } catch (IOException e) {
      established.close();
      connectFailed(endpoint, result, e);
    }
  }

  /** Takes a connection over from its handshake. */
  void accepted(ShmListener listener, Established established, ConnectionHandler.Factory handlers) {
    ShmConnection connection =
        connections.accept(listener.endpoint(), established, listener, handlers);
    connection.begin();
  }

  @Override
  public void close() {
    requireForeignThread();
    if (!closing.compareAndSet(false, true)) {
      await(closed, CLOSE_FLUSH_MILLIS + 2 * CLOSE_END_MILLIS);
      return;
    }
    List.copyOf(listeners.keySet()).forEach(ShmListener::close);
    for (ClientHandshake handshake : connecting) {
      threads.handshakes().execute(() -> handshake.cancel("transport was closed while connecting"));
    }
    connections.close();
    await(connections.whenEnded(), CLOSE_FLUSH_MILLIS);
    connections.abort();
    await(connections.whenEnded(), CLOSE_END_MILLIS);
    // The handshake thread first, so that it hands over nothing more.
    threads.stopHandshakes(CLOSE_END_MILLIS);
    connections.abort();
    await(connections.whenEnded(), CLOSE_END_MILLIS);
    threads.stopServing(CLOSE_END_MILLIS);
    closed.complete(null);
  }

  @Override
  public boolean opened(ShmConnection connection) {
    connections.add(connection);
    return !closing.get();
  }

  @Override
  public WaitCounters waits() {
    return waits;
  }

  @Override
  public void ended(ShmConnection connection) {
    connections.remove(connection);
  }

  @Override
  public void framingError(ShmConnection connection, IOException error) {
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

  /** Reports a peer that was turned away, or did not get through the handshake. */
  void handshakeFailed(Endpoint endpoint, String reason) {
    long leftOut = handshakeReports.tryPass();
    if (leftOut >= 0) {
      LOG.warn(
          "connection refused: {}, endpoint={} ({} like it since the last such line)",
          reason,
          endpoint,
          leftOut);
    }
  }

  ConnectionLimits limits() {
    return limits;
  }

  /** Closed mappings that the garbage collector has not found yet. */
  public int closedMappingCount() {
    return environment.ledger().closedCount();
  }

  /** Whether all I/O threads are blocked in their selectors, so that nothing is polled. */
  public boolean isAsleep() {
    return threads.isAsleep();
  }

  /** How often I/O threads have gone to sleep. */
  public long sleepCount() {
    return threads.sleepCount();
  }

  /** Handshakes of all listeners that are under way. */
  public int handshakeCount() {
    return listeners.values().stream().mapToInt(Acceptor::underWayCount).sum();
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
    if (threads.isCurrent()) {
      throw new IllegalStateException(
          "a transport can't be closed from a callback: the close waits for the calling thread");
    }
  }

  /** Waits for an end that has a bound anyway; what is left over then is cut. */
  private void await(CompletableFuture<?> end, long millis) {
    if (!threads.await(end, millis)) {
      LOG.debug("still waiting after {} ms", millis);
    }
  }

  private static String reason(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
