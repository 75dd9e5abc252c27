package io.weirmq.client.ipc;

import io.weirmq.transport.TransportOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What the publishers and subscribers of a process share: the way to the broker, one I/O thread per
 * kind of transport, and one thread that connects again where connections have ended, and sleeps
 * otherwise. It waits for no broker: those that do not answer hold up only who needs them. Host
 * names other than {@code localhost} have a thread of their own while they are looked up.
 *
 * <p>Safe for use by several threads.
 */
public final class IpcClient implements AutoCloseable {

  /** Looks at names that may wait; more means that the name service is gone. */
  private static final int NAMES_WAITING_MAX = 1000;

  private static final long RESOLVER_IDLE_SECONDS = 5;

  private final IpcClientOptions options;
  private final Transports transports;
  private final BrokerCalls calls;
  private final ClusterLookup lookup;
  private final ScheduledExecutorService conductor;
  private final ExecutorService resolver;

  private IpcClient(IpcClientOptions options) {
    this.options = options;
    this.transports =
        new Transports(
            TransportOptions.defaults()
                .withIoThreads(1, "mq-ipc-io")
                .withIdleTimeout(Duration.ZERO)
                .withProperties(options.transportProperties()));
    this.conductor = Executors.newSingleThreadScheduledExecutor(daemon("mq-ipc-conductor"));
    this.resolver =
        new ThreadPoolExecutor(
            0,
            1,
            RESOLVER_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(NAMES_WAITING_MAX),
            daemon("mq-ipc-resolve"));
    this.calls = new BrokerCalls(transports, options, conductor, resolver);
    this.lookup = new ClusterLookup(calls, options.bootstrap(), conductor);
  }

  private static ThreadFactory daemon(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Makes a client; nothing is connected yet. */
  public static IpcClient open(IpcClientOptions options) {
    return new IpcClient(options);
  }

  /**
   * Connects a publisher to the leader of a partition.
   *
   * @throws IOException where there is no such partition, or its leader can't be reached
   */
  public IpcPublisher publisher(String topic, int partition, PublisherOptions publisherOptions)
      throws IOException {
    return IpcPublisher.open(this, topic, partition, publisherOptions);
  }

  /**
   * Connects a subscriber to the leader of a partition.
   *
   * @throws IOException where there is no such partition, its leader can't be reached, or the start
   *     can't be found
   */
  public IpcSubscriber subscriber(
      String topic, int partition, StartPosition start, SubscriberOptions subscriberOptions)
      throws IOException {
    return IpcSubscriber.open(this, topic, partition, start, subscriberOptions);
  }

  IpcClientOptions options() {
    return options;
  }

  Transports transports() {
    return transports;
  }

  BrokerCalls calls() {
    return calls;
  }

  ClusterLookup lookup() {
    return lookup;
  }

  /** Runs the steps of connecting, none of which blocks. */
  ScheduledExecutorService conductor() {
    return conductor;
  }

  /** Ends all connections. Publishers and subscribers are to be closed before. */
  @Override
  public void close() {
    // What is queued still runs: it finds the client closed, and tells those who wait for it.
    conductor.shutdown();
    resolver.shutdown();
    transports.close();
  }
}
