package io.weirmq.server.internal.broker;

import io.weirmq.server.config.AdvertisedListener;
import io.weirmq.server.config.AdvertisedListeners;
import io.weirmq.server.config.HostNames;
import io.weirmq.server.config.ListenerSettings;
import io.weirmq.server.config.ListenerSettings.ListenerSetting;
import io.weirmq.server.config.NetworkSettings;
import io.weirmq.server.internal.request.ClientConnections;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open listeners of a broker and their transport. Safe for use by several threads. */
final class Listeners implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

  private static final String SCHEME = "tcp";
  private static final int OUTBOUND_LOW_WATERMARK_BYTES = 512 * 1024;
  private static final int OUTBOUND_HIGH_WATERMARK_BYTES = 1024 * 1024;

  /** How long a stopping broker waits for clients to take their last answers. */
  private static final long DRAIN_TIMEOUT_MS = 5_000;

  private final Transport transport;
  private final Map<String, Listener> listeners;
  private final List<AdvertisedListener> advertised;
  private final ClientConnections connections;

  private Listeners(
      Transport transport,
      Map<String, Listener> listeners,
      List<AdvertisedListener> advertised,
      ClientConnections connections) {
    this.transport = transport;
    this.listeners = listeners;
    this.advertised = advertised;
    this.connections = connections;
  }

  /**
   * Binds all listeners.
   *
   * @throws IOException where one can't be bound; the others are closed again
   */
  static Listeners open(
      ListenerSettings settings, NetworkSettings network, ClientConnections connections)
      throws IOException {
    Transport transport = TransportProviders.open(SCHEME, options(network));
    try {
      Map<String, Listener> listeners = new LinkedHashMap<>();
      for (ListenerSetting setting : settings.listeners()) {
        String host = setting.bindsToAll() ? "" : setting.bindHost();
        Endpoint endpoint = new Endpoint(SCHEME, host, setting.bindPort());
        listeners.put(setting.name(), transport.listen(endpoint, connections.of(setting.name())));
      }
      List<AdvertisedListener> advertised =
          new AdvertisedListeners(HostNames.ofSystem())
              .resolve(settings, name -> boundPort(listeners, name));
      return new Listeners(transport, listeners, advertised, connections);
    } catch (IOException | RuntimeException e) {
      transport.close();
      throw e;
    }
  }

  private static TransportOptions options(NetworkSettings network) {
    return TransportOptions.defaults()
        .withFrameBytesMax(network.requestBytesMax())
        .withOutboundLimits(
            OUTBOUND_LOW_WATERMARK_BYTES,
            OUTBOUND_HIGH_WATERMARK_BYTES,
            Math.max(OUTBOUND_HIGH_WATERMARK_BYTES, network.connectionResponseBytesMax()))
        .withConnectionLimits(network.connectionsMax(), network.connectionsPerIpMax())
        .withIdleTimeout(network.idleTimeout())
        .withIoThreads(network.ioThreads(), "mq-io");
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

  /** The bound endpoints by listener name, in the order of the configuration. */
  Map<String, Endpoint> endpoints() {
    Map<String, Endpoint> endpoints = new LinkedHashMap<>();
    listeners.forEach((name, listener) -> endpoints.put(name, listener.endpoint()));
    return endpoints;
  }

  /** Accepts no further connections. */
  void stopAccepting() {
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
    transport.close();
  }
}
