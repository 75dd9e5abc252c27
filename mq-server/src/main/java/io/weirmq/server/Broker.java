package io.weirmq.server;

import io.weirmq.server.config.AdvertisedListener;
import io.weirmq.server.config.BrokerConfig;
import io.weirmq.server.config.ConfigException;
import io.weirmq.server.internal.broker.FatalErrors;
import io.weirmq.server.internal.broker.RunningBroker;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running broker. Safe for use by several threads.
 *
 * <p>It serves from the return of {@link Builder#start()} until {@link #close()}, or until a thread
 * that it can't do without ends by an error: then {@link #health()} says {@link Health#DOWN} and
 * {@link #awaitTermination} returns. It does not close itself in that case; whoever embeds it
 * decides.
 */
public final class Broker implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

  private final RunningBroker running;
  private final FatalErrors fatalErrors;
  private final LongSupplier nanoClock;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final CountDownLatch terminated = new CountDownLatch(1);

  private Broker(RunningBroker running, FatalErrors fatalErrors, LongSupplier nanoClock) {
    this.running = running;
    this.fatalErrors = fatalErrors;
    this.nanoClock = nanoClock;
    fatalErrors.happened().thenRun(terminated::countDown);
  }

  /** Returns a builder with Kafka's defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether a broker serves. */
  public enum Health {
    /** It serves. */
    UP,
    /** It is closed, or has lost a thread that it can't do without. */
    DOWN
  }

  /** Returns whether this broker serves. */
  public Health health() {
    return closing.get() || fatalErrors.first().isPresent() ? Health.DOWN : Health.UP;
  }

  /**
   * The bound endpoints by listener name: those with ports, then those on shared memory, both in
   * the order of the configuration.
   */
  public Map<String, Endpoint> endpoints() {
    return running.endpoints();
  }

  /** The port of the first listener that has one. */
  public int boundPort() {
    return running.endpoints().values().iterator().next().port();
  }

  /**
   * The port of a listener; 0 on shared memory.
   *
   * @throws IllegalArgumentException where no listener has the name
   */
  public int boundPort(String listenerName) {
    Endpoint endpoint = running.endpoints().get(listenerName);
    if (endpoint == null) {
      throw new IllegalArgumentException(
          "no listener is named %s; there are %s"
              .formatted(listenerName, running.endpoints().keySet()));
    }
    return endpoint.port();
  }

  /** The listeners with the addresses that clients are told. */
  public List<AdvertisedListener> advertisedListeners() {
    return running.advertised();
  }

  /** The value for {@code bootstrap.servers} of clients: the first listener as advertised. */
  public String bootstrapServers() {
    AdvertisedListener first = running.advertised().get(0);
    return first.host() + ":" + first.port();
  }

  /**
   * Waits until the broker is closed, or down by a fatal error.
   *
   * @return the fatal error; empty where the broker was closed in good order
   * @throws InterruptedException where the waiting thread is interrupted
   */
  public Optional<Throwable> awaitTermination() throws InterruptedException {
    terminated.await();
    return fatalErrors.first();
  }

  /**
   * Waits as {@link #awaitTermination()} does, for a time.
   *
   * @return false where the time has passed and the broker still serves
   */
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return terminated.await(timeout, unit);
  }

  /**
   * Stops in good order: accepts nobody any more, answers what was taken in, puts everything on the
   * disk, and marks the stop as a clean one. Returns when no thread, file or port is left; closing
   * again waits for that, too.
   *
   * @throws IOException where something could not be made durable; all else is closed nevertheless
   */
  @Override
  public void close() throws IOException {
    if (!closing.compareAndSet(false, true)) {
      awaitClosed();
      return;
    }
    long startNs = nanoClock.getAsLong();
    try {
      running.close();
      LOG.info(
          "Broker stopped in {} ms",
          TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - startNs));
    } finally {
      terminated.countDown();
      closed.countDown();
    }
  }

  private void awaitClosed() {
    boolean interrupted = false;
    while (true) {
      try {
        closed.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Collects what a broker is started with. Confined to one thread. */
  public static final class Builder {

    private final Map<String, String> values = new HashMap<>();
    private @Nullable BrokerConfig config;
    private LogFileSystem files = new NioLogFileSystem();
    private InstantSource wall = InstantSource.system();
    private LongSupplier nanoClock = System::nanoTime;
    private LocalEndpoints localEndpoints = LocalEndpoints.ofSystem();
    private Consumer<Throwable> onFatalError = error -> {};

    private Builder() {}

    /** Sets one configuration value, under Kafka's name of the key. */
    public Builder set(String key, String value) {
      values.put(key, value);
      return this;
    }

    /** Sets configuration values, under Kafka's names of the keys. */
    public Builder set(Map<String, String> newValues) {
      values.putAll(newValues);
      return this;
    }

    /** Takes a whole configuration instead of single values. */
    public Builder config(BrokerConfig newConfig) {
      config = newConfig;
      return this;
    }

    /** Sets the file system, the system's by default. */
    public Builder files(LogFileSystem newFiles) {
      files = newFiles;
      return this;
    }

    /**
     * Sets the clocks, the system's by default.
     *
     * @param newWall time of day, for timestamps and retention
     * @param newNanoClock monotonic, in nanoseconds, for everything that waits
     */
    public Builder clocks(InstantSource newWall, LongSupplier newNanoClock) {
      wall = newWall;
      nanoClock = newNanoClock;
      return this;
    }

    /**
     * Sets where clients of this host are told of shared memory, and where its default folder is;
     * the places of this user by default.
     */
    public Builder localEndpoints(LocalEndpoints newPlaces) {
      localEndpoints = newPlaces;
      return this;
    }

    /** Sets what is told of the first fatal error, on the thread where it happened. */
    public Builder onFatalError(Consumer<Throwable> callback) {
      onFatalError = callback;
      return this;
    }

    /**
     * Starts the broker and returns when it serves. Where the start fails, everything that was
     * opened is closed again.
     *
     * @throws ConfigException where the configuration has errors; the message names all of them
     * @throws IOException where data or an endpoint can't be had; the message says which and why
     */
    public Broker start() throws ConfigException, IOException {
      long startNs = nanoClock.getAsLong();
      BrokerConfig effective = config == null ? BrokerConfig.of(values) : config;
      FatalErrors fatalErrors = new FatalErrors();
      fatalErrors.happened().thenAccept(onFatalError);
      RunningBroker running =
          RunningBroker.start(effective, files, fatalErrors, localEndpoints, wall, nanoClock);
      for (AdvertisedListener listener : running.advertised()) {
        LOG.info("Listening: {}", listener);
        listener.remark().ifPresent(remark -> LOG.warn("{}", remark));
      }
      running
          .endpoints()
          .forEach(
              (name, endpoint) -> {
                if (endpoint.isPath()) {
                  LOG.info("Listening: {} {}, found by clients of this host", name, endpoint);
                }
              });
      LOG.info(
          "Broker {} started in {} ms",
          effective.brokerId(),
          TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - startNs));
      return new Broker(running, fatalErrors, nanoClock);
    }
  }
}
