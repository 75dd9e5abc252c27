package io.weirmq.client.kafka;

import io.weirmq.client.kafka.internal.KafkaInternals;
import io.weirmq.client.kafka.internal.LocalConnections;
import io.weirmq.client.kafka.internal.LocalSelectable;
import io.weirmq.client.kafka.internal.SelectorSensors;
import io.weirmq.transport.TransportProviders;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.config.ConfigException;

/** Makes a client as Kafka does and puts our network under it. Stateless. */
final class LocalClients {

  private LocalClients() {}

  /**
   * Makes a client.
   *
   * @param configs properties as the user gave them
   * @param constructor Kafka's own
   * @param internals finds where the client holds its network
   */
  static <C extends AutoCloseable> C make(
      Map<String, Object> configs,
      Function<Map<String, Object>, C> constructor,
      Function<C, KafkaInternals> internals) {
    ClientSettings settings = ClientSettings.parse(configs);
    if (!settings.triesSharedMemory()) {
      return constructor.apply(settings.kafkaConfigs());
    }
    if (TransportProviders.find("shm").isEmpty()) {
      throw new ConfigException(
          TransportConfig.TRANSPORT,
          settings.mode(),
          "no transport on the class path serves shm; add mq-transport-shm");
    }
    C client = constructor.apply(settings.kafkaConfigs());
    try {
      KafkaInternals found = internals.apply(client);
      LocalConnections connections = connections(settings, found);
      try {
        found.replaceSelector(
            kafkas ->
                new LocalSelectable(
                    kafkas,
                    settings.router(),
                    connections,
                    settings.idleNanos(),
                    System::nanoTime));
      } catch (RuntimeException e) {
        close(connections::close, e); // the client does not have them, and so closes none
        throw e;
      }
      return client;
    } catch (RuntimeException e) {
      close(client, e);
      throw e;
    }
  }

  /** A transport that the user has set up is opened at once, so that mistakes are seen here. */
  private static LocalConnections connections(ClientSettings settings, KafkaInternals found) {
    LocalConnections connections =
        new LocalConnections(settings::openTransport, new SelectorSensors(found.metrics()));
    if (!settings.transportProperties().isEmpty()) {
      try {
        connections.open();
      } catch (IllegalArgumentException e) {
        throw (ConfigException)
            new ConfigException("shared memory can't be set up: " + e.getMessage()).initCause(e);
      }
    }
    return connections;
  }

  private static void close(AutoCloseable opened, RuntimeException reason) {
    try {
      opened.close();
    } catch (Exception e) {
      reason.addSuppressed(e);
    }
  }
}
