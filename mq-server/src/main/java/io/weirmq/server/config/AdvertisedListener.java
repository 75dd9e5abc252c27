package io.weirmq.server.config;

import java.util.Optional;

/**
 * A listener that is open, and what clients are told about it. Immutable.
 *
 * @param name name of the listener
 * @param bindHost host it is bound to; empty for all interfaces
 * @param bindPort port it is bound to, never 0
 * @param host host that clients are told; never a wildcard
 * @param port port that clients are told, never 0
 * @param remark what an operator should know about the choice; empty where all is plain
 */
public record AdvertisedListener(
    String name, String bindHost, int bindPort, String host, int port, Optional<String> remark) {

  /** The line for the log: {@code PLAINTEXT 0.0.0.0:9092 -> broker1.example:9092}. */
  @Override
  public String toString() {
    String bound = bindHost.isEmpty() ? "0.0.0.0" : bindHost;
    return "%s %s -> %s".formatted(name, address(bound, bindPort), address(host, port));
  }

  private static String address(String host, int port) {
    return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
  }
}
