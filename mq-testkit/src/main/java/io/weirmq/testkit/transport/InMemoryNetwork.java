package io.weirmq.testkit.transport;

import io.weirmq.testkit.time.TaskScheduler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A network inside one process: named nodes with transports, and links between them that a script
 * delays, partitions and cuts. Safe for use by several threads.
 *
 * <p>Links behave as TCP does, not as datagrams do:
 *
 * <ul>
 *   <li>A <b>delay</b> moves arrivals, and never changes the order within a connection.
 *   <li>In a <b>partition</b> frames wait and arrive after it heals; ends of connections are not
 *       noticed on the other side until then, and connects time out.
 *   <li>A <b>cut</b> loses the connection and what is on its way; both sides learn of it.
 * </ul>
 *
 * <p>All callbacks of all nodes run as tasks of one {@link TaskScheduler}, a frame a task; so with
 * a stepped scheduler the run is deterministic and a test can stop between any two frames.
 */
public final class InMemoryNetwork {

  /** The scheme of endpoints, unless a provider is made for another. */
  public static final String SCHEME = "mem";

  /** How long a connect into a partition takes to fail. */
  public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private static final int FIRST_FREE_PORT = 49_152;

  private record Link(String one, String other) {
    static Link of(String a, String b) {
      return a.compareTo(b) <= 0 ? new Link(a, b) : new Link(b, a);
    }
  }

  private record Address(String host, int port) {}

  private final TaskScheduler scheduler;
  private final Map<Address, InMemoryListener> listeners = new HashMap<>();
  private final Set<InMemoryConnection> connections = new LinkedHashSet<>();
  private final Map<Link, Duration> delays = new HashMap<>();
  private final Set<Link> partitions = new HashSet<>();
  private Duration defaultDelay = Duration.ZERO;
  private int nextPort = FIRST_FREE_PORT;
  private long nextConnectionId = 1;
  private volatile @Nullable Thread taskThread;

  /** Makes a network without nodes, delays or partitions. */
  public InMemoryNetwork(TaskScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Returns a provider of transports of the given node, for endpoints {@code mem://host:port}. */
  public TransportProvider provider(String node) {
    return provider(node, Set.of(SCHEME));
  }

  /** Returns a provider that serves other schemes, for code that insists on {@code tcp}. */
  public TransportProvider provider(String node, Set<String> schemes) {
    Set<String> served = Set.copyOf(schemes);
    return new TransportProvider() {
      @Override
      public Set<String> schemes() {
        return served;
      }

      @Override
      public Transport open(TransportOptions options) {
        return new InMemoryTransport(InMemoryNetwork.this, node, options);
      }
    };
  }

  /** Sets the one-way delay of all links that have none of their own. */
  public synchronized void delay(Duration oneWay) {
    defaultDelay = oneWay;
  }

  /** Sets the one-way delay between two nodes, in both directions. */
  public synchronized void delay(String one, String other, Duration oneWay) {
    delays.put(Link.of(one, other), oneWay);
  }

  /** Separates two nodes until {@link #heal}. */
  public synchronized void partition(String one, String other) {
    partitions.add(Link.of(one, other));
  }

  /** Ends the partition between two nodes; what has waited arrives. */
  public void heal(String one, String other) {
    synchronized (this) {
      partitions.remove(Link.of(one, other));
    }
    snapshot().forEach(InMemoryConnection::linkHealed);
  }

  /** Ends all partitions. */
  public void healAll() {
    synchronized (this) {
      partitions.clear();
    }
    snapshot().forEach(InMemoryConnection::linkHealed);
  }

  /**
   * Breaks all connections between two nodes; frames on their way are lost.
   *
   * @return how many connections were broken
   */
  public int cut(String one, String other) {
    Link link = Link.of(one, other);
    int count = 0;
    for (InMemoryConnection connection : snapshot()) {
      if (connection.isAccepted()
          && link.equals(Link.of(connection.node(), connection.remoteNode()))) {
        connection.cut(new IOException("connection between " + one + " and " + other + " is cut"));
        count++;
      }
    }
    return count;
  }

  /** The number of connections that are open, each counted once. */
  public synchronized int connectionCount() {
    return (int) connections.stream().filter(InMemoryConnection::isAccepted).count();
  }

  /** Runs a task soon; tasks of one network never run side by side. */
  void execute(Runnable task) {
    scheduler.execute(() -> runMarked(task));
  }

  void schedule(Duration delay, Runnable task) {
    scheduler.schedule(delay, () -> runMarked(task));
  }

  void runAndWait(Runnable task) {
    scheduler.runAndWait(() -> runMarked(task));
  }

  long nanoTime() {
    return scheduler.nanoTime();
  }

  /** Whether the calling thread is inside a task of this network. */
  boolean isInTask() {
    return Thread.currentThread().equals(taskThread);
  }

  synchronized Duration delayBetween(String one, String other) {
    return delays.getOrDefault(Link.of(one, other), defaultDelay);
  }

  synchronized boolean isPartitioned(String one, String other) {
    return partitions.contains(Link.of(one, other));
  }

  synchronized long newConnectionId() {
    return nextConnectionId++;
  }

  /**
   * Binds a listener.
   *
   * @return the endpoint with its port
   * @throws IOException where the endpoint is taken
   */
  synchronized Endpoint bind(Endpoint asked, String node, InMemoryListener listener)
      throws IOException {
    Endpoint bound = asked.port() == 0 ? asked.withPort(nextPort++) : asked;
    if (listeners.putIfAbsent(addressOf(bound, node), listener) != null) {
      throw new IOException("address already in use");
    }
    return bound;
  }

  synchronized void unbind(Endpoint bound, String node, InMemoryListener listener) {
    listeners.remove(addressOf(bound, node), listener);
  }

  synchronized @Nullable InMemoryListener listenerAt(Endpoint endpoint, String node) {
    return listeners.get(addressOf(endpoint, node));
  }

  synchronized void add(InMemoryConnection connection) {
    connections.add(connection);
  }

  synchronized void remove(InMemoryConnection connection) {
    connections.remove(connection);
  }

  private synchronized List<InMemoryConnection> snapshot() {
    return new ArrayList<>(connections);
  }

  private void runMarked(Runnable task) {
    taskThread = Thread.currentThread();
    try {
      task.run();
    } finally {
      taskThread = null;
    }
  }

  /** An empty host is the node itself, as "all interfaces" is elsewhere. */
  private static Address addressOf(Endpoint endpoint, String node) {
    return new Address(endpoint.host().isEmpty() ? node : endpoint.host(), endpoint.port());
  }
}
