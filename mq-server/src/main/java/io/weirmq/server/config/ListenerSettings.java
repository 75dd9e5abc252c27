package io.weirmq.server.config;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Where the broker listens and what it tells clients about it. Immutable.
 *
 * @param listeners the listeners that have a port, at least one; names and ports differ
 * @param local the listeners on shared memory, which clients are not told of; names differ
 * @param interBrokerListener the name of the one that brokers use among themselves; it has a port
 */
public record ListenerSettings(
    List<ListenerSetting> listeners, List<LocalListenerSetting> local, String interBrokerListener) {

  /** Copies the lists. */
  public ListenerSettings {
    listeners = List.copyOf(listeners);
    local = List.copyOf(local);
  }

  /**
   * One listener. Immutable.
   *
   * @param name its name, {@code PLAINTEXT} for instance
   * @param bindHost host name or address to bind to; empty for all interfaces
   * @param bindPort port to bind to, 0 to let the system choose
   * @param advertised what clients are told; empty for the listener's own address
   */
  public record ListenerSetting(
      String name, String bindHost, int bindPort, Optional<HostPort> advertised) {

    /** Checks the parts. */
    public ListenerSetting {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(bindHost, "bindHost");
    }

    /** Whether it listens on all interfaces. */
    public boolean bindsToAll() {
      return isWildcard(bindHost);
    }
  }

  /**
   * A listener on shared memory. Immutable.
   *
   * @param name its name, {@code SHM} for instance
   * @param folder where peers meet, an absolute path; empty for the default, which depends on the
   *     first port
   * @param required whether the broker can't do without; false where nobody has asked for it
   */
  public record LocalListenerSetting(String name, Optional<String> folder, boolean required) {}

  /**
   * A host and a port. Immutable.
   *
   * @param host host name or address, without brackets
   * @param port port; 0 stands for the one that is listened on
   */
  public record HostPort(String host, int port) {}

  /** Whether a host stands for all interfaces. */
  static boolean isWildcard(String host) {
    return host.isEmpty() || host.equals("0.0.0.0") || host.equals("::") || host.equals("*");
  }
}
