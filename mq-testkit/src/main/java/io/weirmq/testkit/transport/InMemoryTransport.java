package io.weirmq.testkit.transport;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Peer;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The transport of one node of an {@link InMemoryNetwork}. Safe for use by several threads. */
final class InMemoryTransport implements Transport {

  private final InMemoryNetwork network;
  private final String node;
  private final TransportOptions options;
  private final Set<InMemoryListener> listeners = new LinkedHashSet<>();
  private final Set<InMemoryConnection> connections = new LinkedHashSet<>();
  private final Map<Long, CompletableFuture<Connection>> connecting = new HashMap<>();
  private final Map<String, Integer> acceptedByHost = new HashMap<>();
  private int acceptedCount;
  private long nextConnectId;
  private boolean closed;

  InMemoryTransport(InMemoryNetwork network, String node, TransportOptions options) {
    this.network = network;
    this.node = node;
    this.options = options;
  }

  InMemoryNetwork network() {
    return network;
  }

  String node() {
    return node;
  }

  TransportOptions options() {
    return options;
  }

  @Override
  public synchronized Listener listen(Endpoint endpoint, ConnectionHandler.Factory handlers)
      throws IOException {
    if (closed) {
      throw new IOException("cannot listen on " + endpoint + ": transport is closed");
    }
    try {
      InMemoryListener listener = new InMemoryListener(this, endpoint, handlers);
      listeners.add(listener);
      return listener;
    } catch (IOException e) {
      throw new IOException("cannot listen on " + endpoint + ": " + e.getMessage(), e);
    }
  }

  @Override
  public CompletionStage<Connection> connect(Endpoint endpoint, ConnectionHandler handler) {
    CompletableFuture<Connection> result = new CompletableFuture<>();
    synchronized (this) {
      if (closed) {
        result.completeExceptionally(
            new IOException("cannot connect to " + endpoint + ": transport is closed"));
        return result;
      }
      long id = nextConnectId++;
      connecting.put(id, result);
      result.whenComplete((connection, failure) -> connectEnded(id));
    }
    network.execute(() -> connectNow(endpoint, handler, result));
    return result;
  }

  @Override
  public void close() {
    if (network.isInTask()) {
      throw new IllegalStateException(
          "a transport can't be closed from a callback: the close waits for the calling thread");
    }
    network.runAndWait(this::closeNow);
  }

  /**
   * Takes a place for an accepted connection.
   *
   * @return null where there was one, else the limit that is reached, in words
   */
  synchronized @Nullable String tryAccept(String host) {
    if (closed) {
      return "transport is closed";
    }
    if (acceptedCount >= options.connectionsMax()) {
      return "limit of " + options.connectionsMax() + " connections";
    }
    int ofHost = acceptedByHost.getOrDefault(host, 0);
    if (ofHost >= options.connectionsPerHostMax()) {
      return "limit of " + options.connectionsPerHostMax() + " connections per host";
    }
    acceptedCount++;
    acceptedByHost.put(host, ofHost + 1);
    return null;
  }

  synchronized void add(InMemoryConnection connection) {
    connections.add(connection);
    network.add(connection);
  }

  synchronized void ended(InMemoryConnection connection) {
    connections.remove(connection);
    network.remove(connection);
    if (connection.isAccepted()) {
      acceptedCount--;
      acceptedByHost.computeIfPresent(
          connection.peer().host(), (host, count) -> count == 1 ? null : count - 1);
    }
  }

  synchronized void forget(InMemoryListener listener) {
    listeners.remove(listener);
  }

  synchronized boolean isClosed() {
    return closed;
  }

  private void connectNow(
      Endpoint endpoint, ConnectionHandler handler, CompletableFuture<Connection> result) {
    InMemoryListener listener = network.listenerAt(endpoint, node);
    if (listener == null) {
      fail(result, endpoint, "connection refused");
      return;
    }
    InMemoryTransport server = listener.transport();
    if (network.isPartitioned(node, server.node())) {
      network.schedule(InMemoryNetwork.CONNECT_TIMEOUT, () -> fail(result, endpoint, "timed out"));
      return;
    }
    String limit = isClosed() ? "transport is closed" : server.tryAccept(node);
    if (limit != null) {
      listener.connectionRefused();
      fail(result, endpoint, "connection refused: " + limit);
      return;
    }
    listener.connectionOpened();
    long id = network.newConnectionId();
    InMemoryConnection near =
        new InMemoryConnection(
            id, this, endpoint, Peer.ofAddress(server.node(), endpoint.port()), null);
    InMemoryConnection far =
        new InMemoryConnection(
            network.newConnectionId(),
            server,
            listener.endpoint(),
            Peer.ofAddress(node, (int) (id % 65_535) + 1),
            listener);
    near.join(far);
    far.join(near);
    add(near);
    server.add(far);
    // The other side opens before anything that this side sends can get there.
    network.schedule(
        network.delayBetween(node, server.node()), () -> far.open(listener.handlers()));
    Throwable failure = near.open(made -> handler);
    if (failure == null) {
      result.complete(near);
    } else {
      fail(result, endpoint, "onOpen failed: " + failure.getMessage());
    }
  }

  private static void fail(CompletableFuture<Connection> result, Endpoint endpoint, String reason) {
    result.completeExceptionally(new IOException("cannot connect to " + endpoint + ": " + reason));
  }

  private synchronized void connectEnded(long id) {
    connecting.remove(id);
  }

  private void closeNow() {
    List<InMemoryListener> openListeners;
    List<InMemoryConnection> openConnections;
    List<CompletableFuture<Connection>> pending;
    synchronized (this) {
      closed = true;
      openListeners = new ArrayList<>(listeners);
      openConnections = new ArrayList<>(connections);
      pending = new ArrayList<>(connecting.values());
    }
    openListeners.forEach(InMemoryListener::close);
    openConnections.forEach(InMemoryConnection::closeNow);
    for (CompletableFuture<Connection> each : pending) {
      each.completeExceptionally(new IOException("transport was closed while connecting"));
    }
  }
}
