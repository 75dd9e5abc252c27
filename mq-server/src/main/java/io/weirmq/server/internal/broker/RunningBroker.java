package io.weirmq.server.internal.broker;

import io.weirmq.replication.Maintenance;
import io.weirmq.replication.metadata.BrokerMetadata;
import io.weirmq.replication.metadata.BrokerMetadata.BrokerEndpoint;
import io.weirmq.replication.metadata.MetadataChange.RegisterBroker;
import io.weirmq.server.config.AdvertisedListener;
import io.weirmq.server.config.BrokerConfig;
import io.weirmq.server.internal.fetch.DelayedFetches;
import io.weirmq.server.internal.fetch.DirectReadHandler;
import io.weirmq.server.internal.fetch.FetchHandler;
import io.weirmq.server.internal.fetch.FetchSessions;
import io.weirmq.server.internal.fetch.PublishedOffsets;
import io.weirmq.server.internal.metrics.BrokerMetrics;
import io.weirmq.server.internal.metrics.MetricName;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.partition.ReadFailures;
import io.weirmq.server.internal.produce.ProduceHandler;
import io.weirmq.server.internal.request.ApiTable;
import io.weirmq.server.internal.request.ClientConnections;
import io.weirmq.server.internal.request.RequestLimits;
import io.weirmq.server.internal.schedule.ThreadScheduler;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/**
 * A broker that serves: all parts, open and wired together. Safe for use by several threads, but
 * for {@link #close()}, which is called once.
 */
public final class RunningBroker implements AutoCloseable {

  private static final long EXPIRY_INTERVAL_MS = 1_000;

  /** How often the folders of shared memory are looked for. */
  private static final Duration LISTENERS_LOOK_INTERVAL = Duration.ofSeconds(5);

  private final OpenParts parts;
  private final Listeners listeners;
  private final DelayedFetches delayedFetches;
  private final Coordination coordination;

  private RunningBroker(
      OpenParts parts,
      Listeners listeners,
      DelayedFetches delayedFetches,
      Coordination coordination) {
    this.parts = parts;
    this.listeners = listeners;
    this.delayedFetches = delayedFetches;
    this.coordination = coordination;
  }

  /**
   * Opens and starts everything; where something fails, closes again what was opened.
   *
   * @param places where clients of this host are told of shared memory
   * @param wall time of day
   * @param nanoClock monotonic clock, nanoseconds
   * @throws IOException where data or an endpoint can't be had; the message says which and why
   */
  public static RunningBroker start(
      BrokerConfig config,
      LogFileSystem files,
      FatalErrors fatalErrors,
      LocalEndpoints places,
      InstantSource wall,
      LongSupplier nanoClock)
      throws IOException {
    OpenParts parts = new OpenParts();
    try {
      return start(config, files, fatalErrors, places, wall, nanoClock, parts);
    } catch (IOException | RuntimeException | Error e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  private static RunningBroker start(
      BrokerConfig config,
      LogFileSystem files,
      FatalErrors fatalErrors,
      LocalEndpoints places,
      InstantSource wall,
      LongSupplier nanoClock,
      OpenParts parts)
      throws IOException {
    BrokerThreads threads = new BrokerThreads(fatalErrors);
    BrokerMetrics metrics = parts.add(BrokerMetrics.open(config.brokerId()));
    Storage storage = parts.add(Storage.open(config, files, threads, fatalErrors, wall));
    StorageMetrics.register(metrics, storage);
    BrokerThreads.SingleThread upkeepThread = parts.add(threads.singleThread("mq-upkeep"));
    ThreadScheduler scheduler =
        parts.add(
            new ThreadScheduler(
                threads.named("mq-timer"), error -> fatalErrors.report("thread mq-timer", error)));
    Upkeep upkeep =
        parts.add(
            Upkeep.start(
                config.storage(),
                new Maintenance(storage.partitions()),
                new FolderWatch(
                    storage.partitions(), config.storage().directories().get(0), fatalErrors),
                scheduler,
                upkeepThread,
                wall));
    parts.add(Compaction.start(config.cleaner(), storage, threads, metrics, wall, nanoClock));
    PartitionLookup lookup = new PartitionLookup(storage.partitions(), storage.metadata());
    Coordination coordination =
        Coordination.start(
            config.brokerId(),
            config.groups(),
            storage.metadata(),
            lookup,
            parts.add(threads.singleThread("mq-groups")),
            upkeepThread,
            scheduler,
            wall,
            nanoClock);
    ReadFailures readFailures = new ReadFailures(nanoClock);
    DelayedFetches delayedFetches = new DelayedFetches(scheduler);
    PublishedOffsets offsets =
        parts.add(new PublishedOffsets(() -> offsetsFile(config, places), nanoClock));
    SecureRandom random = new SecureRandom();
    FetchSessions sessions =
        new FetchSessions(config.fetch().sessionsMax(), nanoClock, random::nextInt);
    ApiTable apis =
        new ServedApis(config, storage, lookup, readFailures, coordination, upkeepThread)
            .table(
                new ProduceHandler(lookup, nanoClock),
                new FetchHandler(
                    sessions,
                    lookup,
                    readFailures,
                    delayedFetches,
                    config.fetch().responseBytesMax()),
                new DirectReadHandler(lookup, readFailures, offsets, delayedFetches));
    ClientConnections connections =
        new ClientConnections(
            apis,
            new RequestLimits(
                config.network().connectionRequestsMax(),
                config.network().connectionRequestBytesMax()),
            OwnUser.find(),
            nanoClock);
    Listeners listeners = parts.add(Listeners.open(config, places, connections));
    ListenerMetrics.register(metrics, listeners.all(), connections);
    metrics.gauge(
        MetricName.of("io.weirmq", "DirectRead", "PublishedPartitionCount"), offsets::entryCount);
    metrics.gauge(
        MetricName.of("kafka.server", "DelayedOperationPurgatory", "PurgatorySize")
            .with("delayedOperation", "Fetch"),
        delayedFetches::count);
    register(config, storage, listeners.advertised());
    expireRepeatedly(scheduler, connections);
    upkeep.repeat(LISTENERS_LOOK_INTERVAL, listeners::look);
    connections.serve();
    return new RunningBroker(parts, listeners, delayedFetches, coordination);
  }

  private static Path offsetsFile(BrokerConfig config, LocalEndpoints places) throws IOException {
    String name = PublishedOffsets.fileName(config.storage().directories().get(0));
    return places.createRuntimeFolder().resolve(name);
  }

  private static void register(
      BrokerConfig config, Storage storage, List<AdvertisedListener> advertised)
      throws IOException {
    List<BrokerEndpoint> endpoints =
        advertised.stream()
            .map(each -> new BrokerEndpoint(each.name(), each.host(), each.port()))
            .toList();
    BrokerMetadata self = new BrokerMetadata(config.brokerId(), config.rack(), endpoints);
    try {
      storage.metadata().apply(new RegisterBroker(self)).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw new IOException("broker " + config.brokerId() + " can't be registered", e.getCause());
    }
  }

  private static void expireRepeatedly(ThreadScheduler scheduler, ClientConnections connections) {
    scheduler.schedule(
        EXPIRY_INTERVAL_MS,
        () -> {
          connections.expire();
          expireRepeatedly(scheduler, connections);
        });
  }

  /** The listeners with what clients are told of them. */
  public List<AdvertisedListener> advertised() {
    return listeners.advertised();
  }

  /** The bound endpoints by listener name. */
  public Map<String, Endpoint> endpoints() {
    return listeners.endpoints();
  }

  /**
   * Stops in good order: accepts nobody any more, answers what was taken in, flushes, and marks the
   * stop as a clean one.
   */
  @Override
  public void close() throws IOException {
    listeners.stopAccepting();
    delayedFetches.finishAll();
    coordination.coordinator().close();
    listeners.drain();
    // An interrupt would close files under the hands of whoever writes to them.
    boolean interrupted = Thread.interrupted();
    try {
      parts.close();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
