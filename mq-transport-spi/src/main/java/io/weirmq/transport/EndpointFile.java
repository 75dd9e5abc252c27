package io.weirmq.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The content of a published file, whose form {@link LocalEndpoints} draws. Immutable.
 *
 * @param endpoint a path
 * @param network namespace of the port, or empty
 * @param addresses to which the port is bound; none for all
 * @param publication not equal to that of any other
 */
record EndpointFile(
    Endpoint endpoint, Optional<String> network, List<InetAddress> addresses, String publication) {

  private static final String FORMAT = "1";

  /** Checks what lines of text could not hold. */
  EndpointFile {
    if (!endpoint.isPath()) {
      throw new IllegalArgumentException("endpoint " + endpoint + " is no path");
    }
    if (endpoint.host().chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException("endpoint " + endpoint + " has a control character");
    }
    addresses = List.copyOf(addresses);
  }

  /** Returns the text of the file. */
  String toText() {
    StringBuilder text = new StringBuilder("format=" + FORMAT + "\n");
    text.append("endpoint=").append(endpoint).append('\n');
    network.ifPresent(name -> text.append("network=").append(name).append('\n'));
    if (!addresses.isEmpty()) {
      List<String> all = addresses.stream().map(InetAddress::getHostAddress).toList();
      text.append("address=").append(String.join(",", all)).append('\n');
    }
    return text.append("publication=").append(publication).append('\n').toString();
  }

  /**
   * Reads the text of a file. Names that this version does not know are left aside.
   *
   * @throws IOException where it is of another format; the message says what was expected
   */
  static EndpointFile parse(String text) throws IOException {
    Map<String, String> values = values(text);
    String format = required(values, "format");
    if (!format.equals(FORMAT)) {
      throw new IOException("it has format '%s', expected '%s'".formatted(format, FORMAT));
    }
    String endpoint = required(values, "endpoint");
    try {
      return new EndpointFile(
          Endpoint.parse(endpoint),
          Optional.ofNullable(values.get("network")),
          addresses(values.getOrDefault("address", "")),
          required(values, "publication"));
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Checks that a client of these addresses would reach the port.
   *
   * @throws IOException where it would not; the message says why
   */
  void requireServes(List<InetAddress> wanted, LocalNetwork network, String host, int port)
      throws IOException {
    for (InetAddress each : wanted) {
      if (!network.isOwn(each)) {
        throw new IOException(
            "host '%s' is %s, no address of this machine".formatted(host, each.getHostAddress()));
      }
    }
    // One will do: "localhost" is often 127.0.0.1 and ::1, and ports are bound to the first alone.
    if (!addresses.isEmpty() && wanted.stream().noneMatch(addresses::contains)) {
      throw new IOException(
          "port %d is bound to %s, host '%s' is %s".formatted(port, addresses, host, wanted));
    }
  }

  /**
   * Whether a port that is bound to these addresses could not be bound to the ones of this file at
   * the same time.
   *
   * @param bound none for all
   */
  boolean meets(List<InetAddress> bound) {
    return addresses.isEmpty() || bound.isEmpty() || bound.stream().anyMatch(addresses::contains);
  }

  private static Map<String, String> values(String text) throws IOException {
    Map<String, String> values = new HashMap<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      int end = line.indexOf('=');
      if (end <= 0) {
        throw new IOException("line %d is not of the form name=value".formatted(number));
      }
      String name = line.substring(0, end);
      if (values.put(name, line.substring(end + 1)) != null) {
        throw new IOException("line %d gives '%s' again".formatted(number, name));
      }
    }
    return values;
  }

  private static String required(Map<String, String> values, String name) throws IOException {
    String value = values.get(name);
    if (value == null || value.isEmpty()) {
      throw new IOException("it has no line " + name + "=");
    }
    return value;
  }

  private static List<InetAddress> addresses(String text) throws IOException {
    List<InetAddress> addresses = new ArrayList<>();
    if (!text.isEmpty()) {
      for (String each : text.split(",", -1)) {
        addresses.add(literal(each));
      }
    }
    return addresses;
  }

  /** Never asks a name server: letters of names are refused before. */
  private static InetAddress literal(String text) throws IOException {
    boolean isLiteral = text.matches("[0-9.]+") || text.contains(":");
    if (!isLiteral) {
      throw new IOException("'" + text + "' is no address");
    }
    return InetAddress.getByName(text);
  }
}
