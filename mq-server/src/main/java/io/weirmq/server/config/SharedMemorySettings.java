package io.weirmq.server.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Settings of connections through shared memory. Immutable.
 *
 * @param ioThreads threads that read, handle and write
 * @param connectionsMax open connections
 * @param transportProperties what the transport alone understands, under its own names
 */
public record SharedMemorySettings(
    int ioThreads, int connectionsMax, Map<String, String> transportProperties) {

  /** Their names are the transport's, too. */
  private static final List<ConfigKey> OF_THE_TRANSPORT =
      List.of(
          SharedMemoryKeys.RING_BYTES_LEAST,
          SharedMemoryKeys.RING_BYTES_MOST,
          SharedMemoryKeys.WAIT_STRATEGY,
          SharedMemoryKeys.GROUP);

  /** Copies the properties. */
  public SharedMemorySettings {
    transportProperties = Map.copyOf(transportProperties);
  }

  static SharedMemorySettings of(ConfigValues values) {
    Map<String, String> properties = new HashMap<>();
    for (ConfigKey key : OF_THE_TRANSPORT) {
      values.text(key).ifPresent(text -> properties.put(key.name(), text.trim()));
    }
    return new SharedMemorySettings(
        values.intValue(SharedMemoryKeys.IO_THREADS),
        Math.min(
            values.intValue(SharedMemoryKeys.CONNECTIONS_MAX),
            values.intValue(NetworkKeys.CONNECTIONS_MAX)),
        properties);
  }
}
