package io.weirmq.replication.metadata;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A broker that is alive, and where clients reach it. Immutable.
 *
 * @param id broker id, 0 or more
 * @param rack the place it stands in, or null
 * @param endpoints its advertised address per listener
 */
public record BrokerMetadata(int id, @Nullable String rack, List<BrokerEndpoint> endpoints) {

  /** Copies the list. */
  public BrokerMetadata {
    endpoints = List.copyOf(endpoints);
  }

  /** Returns the address of a listener; empty where the broker does not have that listener. */
  public Optional<BrokerEndpoint> endpoint(String listenerName) {
    return endpoints.stream().filter(e -> e.listenerName().equals(listenerName)).findFirst();
  }

  /**
   * The address that clients of one listener are told. Immutable.
   *
   * @param listenerName name of the listener, {@code PLAINTEXT} for instance
   * @param host host name or address, never empty and never a wildcard
   * @param port port, 1 to 65535
   */
  public record BrokerEndpoint(String listenerName, String host, int port) {

    /** Checks the parts. */
    public BrokerEndpoint {
      Objects.requireNonNull(listenerName, "listenerName");
      Objects.requireNonNull(host, "host");
    }
  }
}
