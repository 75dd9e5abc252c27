package io.weirmq.transport;

import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/**
 * Where a transport listens or connects to, such as {@code tcp://127.0.0.1:9092} or {@code
 * shm:/run/weirmq}.
 *
 * <p>The scheme picks the transport; the rest is the transport's own. Immutable.
 *
 * @param scheme the transport's name in lower case, {@code tcp} for instance
 * @param host host name or address; empty binds to all interfaces; for transports without hosts an
 *     absolute path, which begins with a slash
 * @param port TCP port, 0 to let the system choose one; 0 for transports without ports
 */
public record Endpoint(String scheme, String host, int port) {

  /** Schemes whose endpoints are never paths, so that a forgotten slash is noticed. */
  private static final Set<String> SCHEMES_WITH_PORTS = Set.of("tcp", "tls");

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
    if (host.startsWith("/")) {
      requirePathScheme(scheme, host, port);
    }
  }

  /**
   * Reads an endpoint. Two forms are known:
   *
   * <ul>
   *   <li>{@code scheme://host:port}, with IPv6 addresses in brackets, such as {@code
   *       tcp://[::1]:9092}; an empty host means all interfaces
   *   <li>{@code scheme:/path} or {@code scheme:///path}, for transports without ports; the path is
   *       taken as it stands, blanks and colons included
   * </ul>
   *
   * @throws IllegalArgumentException where the text has another form; the message shows it
   */
  public static Endpoint parse(String text) {
    int schemeEnd = text.indexOf(':');
    if (schemeEnd <= 0) {
      throw malformed(text);
    }
    String scheme = text.substring(0, schemeEnd);
    String rest = text.substring(schemeEnd + 1);
    if (rest.startsWith("///")) {
      return ofPath(scheme, rest.substring(2));
    }
    if (rest.startsWith("//")) {
      return parseHostAndPort(text, scheme, rest.substring(2));
    }
    if (rest.startsWith("/")) {
      return ofPath(scheme, rest);
    }
    throw malformed(text);
  }

  private static Endpoint parseHostAndPort(String text, String scheme, String rest) {
    int hostEnd = rest.lastIndexOf(':');
    if (hostEnd < 0) {
      throw malformed(text);
    }
    String host = rest.substring(0, hostEnd);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.contains(":")) {
      throw malformed(text);
    }
    try {
      return new Endpoint(scheme, host, Integer.parseInt(rest.substring(hostEnd + 1)));
    } catch (NumberFormatException e) {
      throw (IllegalArgumentException) malformed(text).initCause(e);
    }
  }

  private static void requirePathScheme(String scheme, String path, int port) {
    if (SCHEMES_WITH_PORTS.contains(scheme)) {
      throw new IllegalArgumentException(
          "endpoint '%s:%s' has a path; expected %s://host:port".formatted(scheme, path, scheme));
    }
    if (port != 0) {
      throw new IllegalArgumentException(
          "endpoint '%s:%s' is a path and has no port, got %d".formatted(scheme, path, port));
    }
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException(
        "endpoint '" + text + "' is not of the form scheme://host:port or scheme:/path");
  }

  /** Returns a TCP endpoint. */
  public static Endpoint tcp(String host, int port) {
    return new Endpoint("tcp", host, port);
  }

  /**
   * Returns an endpoint of a transport without ports.
   *
   * @param path absolute, beginning with a slash
   * @throws IllegalArgumentException where it does not, or where the scheme has ports
   */
  public static Endpoint ofPath(String scheme, String path) {
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("path '" + path + "' does not begin with a slash");
    }
    return new Endpoint(scheme, path, 0);
  }

  /** Whether this is a path, of a transport without ports. */
  public boolean isPath() {
    return host.startsWith("/");
  }

  /** Returns this endpoint with another port, as known after binding to port 0. */
  public Endpoint withPort(int newPort) {
    return new Endpoint(scheme, host, newPort);
  }

  @Override
  public String toString() {
    if (isPath()) {
      return scheme + ":" + host;
    }
    String shownHost = host.contains(":") ? "[" + host + "]" : host;
    return scheme + "://" + shownHost + ":" + port;
  }
}
