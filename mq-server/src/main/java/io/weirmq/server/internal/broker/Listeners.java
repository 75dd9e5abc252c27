package io.weirmq.server.internal.broker;

import io.weirmq.server.config.AdvertisedListener;
import io.weirmq.server.config.AdvertisedListeners;
import io.weirmq.server.config.BrokerConfig;
import io.weirmq.server.config.HostNames;
import io.weirmq.server.config.ListenerSettings;
import io.weirmq.server.config.ListenerSettings.ListenerSetting;
import io.weirmq.server.internal.request.ClientConnections;
import io.weirmq.server.internal.request.ListenerNames;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.LocalEndpoints;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open listeners of a broker and their transports. Safe for use by several threads. */
final class Listeners implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

  private static final String SCHEME = "tcp";

  /** How long a stopping broker waits for clients to take their last answers. */
  private static final long DRAIN_TIMEOUT_MS = 5_000;

  private final Transport transport;
  private final Map<String, Listener> listeners;
  private final LocalListeners local;
  private final List<AdvertisedListener> advertised;
  private final ClientConnections connections;

  private Listeners(
      Transport transport,
      Map<String, Listener> listeners,
      LocalListeners local,
      List<AdvertisedListener> advertised,
      ClientConnections connections) {
    this.transport = transport;
    this.listeners = listeners;
    this.local = local;
    this.advertised = advertised;
    this.connections = connections;
  }

  /**
   * Binds all listeners.
   *
   * @param places where clients of this host are told of shared memory
   * @throws IOException where one that was asked for can't be bound; the others are closed again
   */
  static Listeners open(BrokerConfig config, LocalEndpoints places, ClientConnections connections)
      throws IOException {
    ListenerSettings settings = config.listeners();
    Transport transport = TransportProviders.open(SCHEME, TransportLimits.ofTcp(config.network()));
    try {
      Map<String, Listener> listeners = new LinkedHashMap<>();
      for (ListenerSetting setting : settings.listeners()) {
        String host = setting.bindsToAll() ? "" : setting.bindHost();
        Endpoint endpoint = new Endpoint(SCHEME, host, setting.bindPort());
        ListenerNames names = ListenerNames.of(setting.name());
        listeners.put(setting.name(), transport.listen(endpoint, connections.of(names)));
      }
      List<AdvertisedListener> advertised =
          new AdvertisedListeners(HostNames.ofSystem())
              .resolve(settings, name -> boundPort(listeners, name));
      LocalListeners local =
          LocalListeners.open(
              settings.local(),
              TransportLimits.ofSharedMemory(config.network(), config.sharedMemory()),
              places,
              endpoints(listeners),
              connections);
      return new Listeners(transport, listeners, local, advertised, connections);
    } catch (IOException | RuntimeException e) {
      transport.close();
      throw e;
    }
  }

  private static int boundPort(Map<String, Listener> listeners, String name) {
    Listener listener = listeners.get(name);
    if (listener == null) {
      throw new IllegalArgumentException(
          "no listener is named " + name + "; there are " + listeners.keySet());
    }
    return listener.endpoint().port();
  }

  /** The listeners with what clients are told of them. */
  List<AdvertisedListener> advertised() {
    return advertised;
  }

  /** The bound endpoints by listener name: those with ports, then those on shared memory. */
  Map<String, Endpoint> endpoints() {
    return endpoints(all());
  }

  /** The listeners by name, in the same order. */
  Map<String, Listener> all() {
    Map<String, Listener> all = new LinkedHashMap<>(listeners);
    all.putAll(local.listeners());
    return all;
  }

  private static Map<String, Endpoint> endpoints(Map<String, Listener> listeners) {
    Map<String, Endpoint> endpoints = new LinkedHashMap<>();
    listeners.forEach((name, listener) -> endpoints.put(name, listener.endpoint()));
    return endpoints;
  }

  /** Makes anew what somebody has removed of shared memory. Blocks; not for I/O threads. */
  void look() {
    local.look();
  }

  /** Accepts no further connections. */
  void stopAccepting() {
    // While the port is still ours nobody else publishes under it.
    local.stopAccepting();
    listeners.values().forEach(Listener::close);
  }

  /** Waits until every request that was taken in is answered, for some seconds at most. */
  void drain() {
    try {
      connections.drain().toCompletableFuture().get(DRAIN_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn(
          "{} connections are cut off: their clients did not take their answers within {} ms",
          connections.openCount(),
          DRAIN_TIMEOUT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IllegalStateException("draining connections never fails", e);
    }
  }

  /** Closes listeners and connections. */
  @Override
  public void close() {
    try {
      local.close();
    } finally {
      transport.close();
    }
  }
}
