package io.weirmq.client.kafka;

import io.weirmq.client.kafka.internal.EndpointRouter;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import io.weirmq.transport.PolledTransport;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * What a client's properties say of its transport, and the rest of them for Kafka. Immutable.
 *
 * @param mode the way to brokers
 * @param securityProtocol Kafka's, in upper case
 * @param folder explicit folder of the broker's endpoint
 * @param endpoints where endpoints are looked up
 * @param transportProperties what the transport itself is to be told
 * @param clientId for names of threads
 * @param idleNanos after which a connection without traffic is closed; negative for never
 * @param kafkaConfigs the properties without ours
 */
record ClientSettings(
    TransportConfig.Mode mode,
    String securityProtocol,
    Optional<Endpoint> folder,
    LocalEndpoints endpoints,
    Map<String, String> transportProperties,
    String clientId,
    long idleNanos,
    Map<String, Object> kafkaConfigs) {

  /** Kafka's clients take frames of any length; the array grows with what has arrived. */
  private static final int FRAME_BYTES_MAX = Integer.MAX_VALUE;

  /** What Kafka uses where {@code connections.max.idle.ms} is not set: nine minutes. */
  private static final long IDLE_MILLIS = 9 * 60 * 1000L;

  private static final String PLAINTEXT = "PLAINTEXT";

  /**
   * Reads properties.
   *
   * @throws ConfigException where one of ours is malformed, or {@code transport=shm} meets a
   *     security protocol that shared memory does not have
   */
  static ClientSettings parse(Map<String, Object> configs) {
    Map<String, Object> kafkas = new HashMap<>(configs);
    TransportConfig.Mode mode = mode(kafkas.remove(TransportConfig.TRANSPORT));
    Optional<Path> folder = folder(kafkas, TransportConfig.SHM_FOLDER);
    Optional<Path> runtime = folder(kafkas, TransportConfig.SHM_RUNTIME_FOLDER);
    Map<String, String> properties = new HashMap<>();
    configs.forEach(
        (name, value) -> {
          if (name.startsWith(TransportConfig.SHM_PREFIX) && kafkas.containsKey(name)) {
            kafkas.remove(name);
            properties.put(name, String.valueOf(value));
          }
        });
    String security =
        text(kafkas, CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, PLAINTEXT)
            .toUpperCase(Locale.ROOT);
    if (mode == TransportConfig.Mode.SHM && !security.equals(PLAINTEXT)) {
      throw new ConfigException(
          CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
          security,
          "transport=shm needs PLAINTEXT: the system itself tells the broker the user of a local"
              + " client");
    }
    return new ClientSettings(
        mode,
        security,
        folder.map(path -> Endpoint.ofPath("shm", path.toString())),
        runtime.map(LocalEndpoints::in).orElseGet(LocalEndpoints::ofSystem),
        Map.copyOf(properties),
        text(kafkas, CommonClientConfigs.CLIENT_ID_CONFIG, "client"),
        idleNanos(kafkas),
        kafkas);
  }

  /** Whether any broker may be reached through shared memory. */
  boolean triesSharedMemory() {
    return mode == TransportConfig.Mode.SHM
        || (mode == TransportConfig.Mode.AUTO && securityProtocol.equals(PLAINTEXT));
  }

  EndpointRouter router() {
    return new EndpointRouter(mode == TransportConfig.Mode.SHM, folder, endpoints);
  }

  /**
   * Opens the transport of one client: without threads where it can be had so, else with one. No
   * limits but those that Kafka's client has.
   */
  Transport openTransport() {
    TransportOptions options =
        TransportOptions.defaults()
            .withFrameBytesMax(FRAME_BYTES_MAX)
            .withOutboundLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE)
            .withIdleTimeout(Duration.ZERO)
            .withIoThreads(1, "weirmq-" + clientId)
            .withProperties(transportProperties);
    Optional<PolledTransport> polled =
        TransportProviders.find("shm").flatMap(provider -> provider.openPolled(options));
    return polled.isPresent() ? polled.get() : TransportProviders.open("shm", options);
  }

  private static TransportConfig.Mode mode(@Nullable Object value) {
    if (value == null) {
      return TransportConfig.Mode.AUTO;
    }
    if (value instanceof TransportConfig.Mode mode) {
      return mode;
    }
    try {
      return TransportConfig.Mode.parse(String.valueOf(value));
    } catch (IllegalArgumentException e) {
      throw new ConfigException(TransportConfig.TRANSPORT, value, e.getMessage());
    }
  }

  private static Optional<Path> folder(Map<String, Object> configs, String name) {
    Object value = configs.remove(name);
    if (value == null) {
      return Optional.empty();
    }
    Path path = Path.of(String.valueOf(value));
    if (!path.isAbsolute()) {
      throw new ConfigException(name, value, "expected an absolute path");
    }
    return Optional.of(path);
  }

  private static String text(Map<String, Object> configs, String name, String otherwise) {
    Object value = configs.get(name);
    return value == null ? otherwise : String.valueOf(value).trim();
  }

  private static long idleNanos(Map<String, Object> configs) {
    String text =
        text(
            configs,
            CommonClientConfigs.CONNECTIONS_MAX_IDLE_MS_CONFIG,
            String.valueOf(IDLE_MILLIS));
    try {
      return Math.multiplyExact(Long.parseLong(text), 1_000_000L);
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    } catch (NumberFormatException e) {
      return -1; // Kafka's constructor refuses it with a message of its own
    }
  }
}
