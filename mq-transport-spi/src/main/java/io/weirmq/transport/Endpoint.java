package io.weirmq.transport;

import java.util.Locale;
import java.util.Objects;

/**
 * Where a transport listens or connects to, such as {@code tcp://127.0.0.1:9092} or {@code
 * shm:/run/weirmq}.
 *
 * <p>The scheme picks the transport; the rest is the transport's own. Immutable.
 *
 * @param scheme the transport's name in lower case, {@code tcp} for instance
 * @param host host name or address; empty binds to all interfaces; for transports without hosts a
 *     path
 * @param port TCP port, 0 to let the system choose one; 0 for transports without ports
 */
public record Endpoint(String scheme, String host, int port) {

  /** Checks the parts and folds the scheme to lower case. */
  public Endpoint {
    scheme = scheme.toLowerCase(Locale.ROOT);
    Objects.requireNonNull(host, "host");
    if (scheme.isEmpty()) {
      throw new IllegalArgumentException("endpoint without a scheme");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " is outside 0..65535");
    }
  }

  /** Returns a TCP endpoint. */
  public static Endpoint tcp(String host, int port) {
    return new Endpoint("tcp", host, port);
  }

  /** Returns this endpoint with another port, as known after binding to port 0. */
  public Endpoint withPort(int newPort) {
    return new Endpoint(scheme, host, newPort);
  }

  @Override
  public String toString() {
    String shownHost = host.contains(":") ? "[" + host + "]" : host;
    return scheme + "://" + shownHost + ":" + port;
  }
}
