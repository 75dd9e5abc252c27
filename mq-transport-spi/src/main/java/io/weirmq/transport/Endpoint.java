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

  /**
   * Reads an endpoint of the form {@code scheme://host:port}, with IPv6 addresses in brackets, such
   * as {@code tcp://[::1]:9092}; an empty host means all interfaces.
   *
   * @throws IllegalArgumentException where the text has another form; the message shows it
   */
  public static Endpoint parse(String text) {
    int schemeEnd = text.indexOf("://");
    int portStart = text.lastIndexOf(':');
    if (schemeEnd <= 0 || portStart < schemeEnd + 3) {
      throw malformed(text);
    }
    String host = text.substring(schemeEnd + 3, portStart);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.contains(":")) {
      throw malformed(text);
    }
    try {
      int port = Integer.parseInt(text.substring(portStart + 1));
      return new Endpoint(text.substring(0, schemeEnd), host, port);
    } catch (NumberFormatException e) {
      throw (IllegalArgumentException) malformed(text).initCause(e);
    }
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException(
        "endpoint '" + text + "' is not of the form scheme://host:port");
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
