package io.weirmq.client.kafka.internal;

import io.weirmq.transport.Endpoint;
import io.weirmq.transport.PolledTransport;
import io.weirmq.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.kafka.common.network.ChannelState;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one client that do not go through Kafka's Selector, with what happened to them
 * since the last poll, in the form that Kafka's client asks for.
 *
 * <p>The transport is opened for the first connection. Confined to the polling thread, except for
 * {@link #count()} and {@link #loop()}.
 */
public final class LocalConnections implements LocalConnection.Owner {

  private static final Logger LOG = LoggerFactory.getLogger(LocalConnections.class);

  private final Supplier<Transport> transports;
  private final SelectorSensors sensors;
  private final Map<String, LocalConnection> connections = new HashMap<>();
  private final Map<LocalConnection, BiConsumer<LocalConnection, Throwable>> connecting =
      new HashMap<>();
  private final List<String> connected = new ArrayList<>();
  private final Map<String, ChannelState> disconnected = new HashMap<>();
  private final List<NetworkSend> completedSends = new ArrayList<>();
  private final List<NetworkReceive> completedReceives = new ArrayList<>();
  private @Nullable Transport transport;
  private volatile @Nullable TransportLoop loop;
  private volatile int count;
  private long nowNanos;

  /**
   * Makes an empty set.
   *
   * @param transports opens the transport, once at most
   */
  public LocalConnections(Supplier<Transport> transports, SelectorSensors sensors) {
    this.transports = transports;
    this.sensors = sensors;
  }

  SelectorSensors sensors() {
    return sensors;
  }

  /** The number of open connections; for any thread. */
  int count() {
    return count;
  }

  /** Opens the transport where it is not open. */
  public Transport open() {
    Transport opened = transport;
    if (opened == null) {
      opened = transports.get();
      transport = opened;
      if (opened instanceof PolledTransport polled) {
        loop = new TransportLoop(polled);
      }
    }
    return opened;
  }

  /** The loop of the transport; null where none is open, or it has threads of its own. */
  @Nullable TransportLoop loop() {
    return loop;
  }

  boolean has(String id) {
    return connections.containsKey(id);
  }

  /**
   * Connects.
   *
   * @param onFailure called at a later poll where the connection can't be made, and then nothing
   *     else is heard of it
   */
  void connect(
      String id,
      InetSocketAddress address,
      Endpoint endpoint,
      Inbox inbox,
      BiConsumer<LocalConnection, Throwable> onFailure) {
    if (connections.containsKey(id)) {
      throw new IllegalStateException("There is already a connection for id " + id);
    }
    LocalConnection connection = new LocalConnection(id, address, inbox, this, nowNanos);
    connections.put(id, connection);
    connecting.put(connection, onFailure);
    try {
      open()
          .connect(endpoint, connection)
          .whenComplete(
              (opened, failure) -> {
                if (failure != null) {
                  connection.onFailed(failure);
                }
              });
    } catch (RuntimeException e) {
      connection.onFailed(e);
    }
  }

  /** Begins a poll: forgets what the last one has found, and sends what was given since. */
  void beginPoll(long now) {
    nowNanos = now;
    connected.clear();
    disconnected.clear();
    completedSends.clear();
    completedReceives.clear();
    for (LocalConnection each : connections.values()) {
      each.flush();
    }
  }

  /** Takes up the requests that have left. */
  void collectCompleted() {
    for (LocalConnection each : connections.values()) {
      NetworkSend done = each.takeCompleted();
      if (done != null) {
        completedSends.add(done);
        sensors.sent(done.size());
      }
    }
  }

  /** Whether this poll has found anything so far. */
  boolean hasNews() {
    return !completedReceives.isEmpty()
        || !completedSends.isEmpty()
        || !connected.isEmpty()
        || !disconnected.isEmpty();
  }

  /** Closes the connections that were idle for a time. */
  void closeIdle(long idleNanos) {
    for (LocalConnection each : List.copyOf(connections.values())) {
      if (each.isIdleFor(idleNanos, nowNanos)) {
        each.close();
        remove(each, ChannelState.EXPIRED);
        sensors.disconnected();
      }
    }
  }

  /** Has the next look at {@link #disconnected} show a broker. */
  void reportDisconnected(String id, ChannelState state) {
    disconnected.put(id, state);
  }

  void send(NetworkSend send) {
    LocalConnection to = connections.get(send.destinationId());
    if (to == null) {
      throw new IllegalStateException("no connection to broker " + send.destinationId());
    }
    try {
      to.send(send, nowNanos);
    } catch (IOException e) {
      close(to.id());
      throw new IllegalStateException(
          "request to broker " + to.id() + " can't be sent: " + e.getMessage(), e);
    }
  }

  boolean isReady(String id) {
    LocalConnection connection = connections.get(id);
    return connection != null && connection.isReady();
  }

  /** Closes a connection without a report. */
  void close(String id) {
    LocalConnection connection = connections.remove(id);
    if (connection != null) {
      connecting.remove(connection);
      boolean wasOpen = connection.isOpen();
      connection.close();
      if (wasOpen) {
        countOpen();
        sensors.disconnected();
      }
    }
  }

  void mute(String id, boolean on) {
    LocalConnection connection = connections.get(id);
    if (connection != null) {
      connection.mute(on, nowNanos);
    }
  }

  void muteAll(boolean on) {
    List.copyOf(connections.values()).forEach(each -> each.mute(on, nowNanos));
  }

  /** Closes all connections and the transport; returns when its threads have ended. */
  public void close() {
    TransportLoop taken = loop;
    if (taken != null) {
      taken.takeBack();
    }
    List.copyOf(connections.keySet()).forEach(this::close);
    Transport opened = transport;
    if (opened != null) {
      opened.close();
    }
  }

  List<String> connected() {
    return connected;
  }

  Map<String, ChannelState> disconnected() {
    return disconnected;
  }

  List<NetworkSend> completedSends() {
    return completedSends;
  }

  List<NetworkReceive> completedReceives() {
    return completedReceives;
  }

  @Override
  public void opened(LocalConnection connection) {
    connecting.remove(connection);
    connection.touch(nowNanos);
    connected.add(connection.id());
    countOpen();
    sensors.connected();
  }

  @Override
  public void failed(LocalConnection connection, Throwable cause) {
    connections.remove(connection.id(), connection);
    BiConsumer<LocalConnection, Throwable> onFailure = connecting.remove(connection);
    if (onFailure != null) {
      onFailure.accept(connection, cause);
    }
  }

  @Override
  public void received(LocalConnection connection, NetworkReceive receive) {
    connection.touch(nowNanos);
    completedReceives.add(receive);
    sensors.received(receive.size());
  }

  @Override
  public void ended(LocalConnection connection, @Nullable Throwable cause) {
    LOG.debug("broker {} has ended its connection", connection.id(), cause);
    remove(connection, new ChannelState(ChannelState.State.READY, connection.address().toString()));
    sensors.disconnected();
  }

  @Override
  public boolean runTransport() {
    TransportLoop ours = loop;
    if (ours == null || !ours.isOurs()) {
      return false;
    }
    ours.poll(0);
    return true;
  }

  private void remove(LocalConnection connection, ChannelState state) {
    connections.remove(connection.id(), connection);
    disconnected.put(connection.id(), state);
    countOpen();
  }

  private void countOpen() {
    count = (int) connections.values().stream().filter(LocalConnection::isOpen).count();
  }
}
