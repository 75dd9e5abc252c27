package io.weirmq.server.config;

import static io.weirmq.server.config.ConfigRule.atLeast;
import static io.weirmq.server.config.ConfigType.INT;
import static io.weirmq.server.config.ConfigType.LONG;
import static io.weirmq.server.config.Importance.HIGH;
import static io.weirmq.server.config.Importance.MEDIUM;

import java.util.List;

/** Keys of connections and requests. */
public final class NetworkKeys {

  /** {@code num.network.threads}. */
  public static final ConfigKey IO_THREADS =
      ConfigKey.of(
              "num.network.threads",
              INT,
              "2",
              HIGH,
              "Threads that read requests, handle them and write responses.")
          .with(atLeast(1));

  /** {@code socket.request.max.bytes}. */
  public static final ConfigKey REQUEST_BYTES_MAX =
      ConfigKey.of(
              "socket.request.max.bytes",
              INT,
              "104857600",
              HIGH,
              "The largest request in bytes; a larger one ends its connection.")
          .with(atLeast(1));

  /** {@code max.connections}. */
  public static final ConfigKey CONNECTIONS_MAX =
      ConfigKey.of(
              "max.connections",
              INT,
              "2147483647",
              MEDIUM,
              "Open connections of the broker; further ones are closed at once.")
          .with(atLeast(1));

  /** {@code max.connections.per.ip}. */
  public static final ConfigKey CONNECTIONS_PER_IP_MAX =
      ConfigKey.of(
              "max.connections.per.ip",
              INT,
              "2147483647",
              MEDIUM,
              "Open connections per client address; further ones are closed at once.")
          .with(atLeast(1));

  /** {@code connections.max.idle.ms}. */
  public static final ConfigKey IDLE_MS =
      ConfigKey.of(
          "connections.max.idle.ms",
          LONG,
          "600000",
          MEDIUM,
          "A connection without traffic for so many milliseconds is closed; 0 or less means never.");

  /** {@code weirmq.connection.requests.max}. */
  public static final ConfigKey CONNECTION_REQUESTS_MAX =
      ConfigKey.of(
              "weirmq.connection.requests.max",
              INT,
              "128",
              MEDIUM,
              "Unanswered requests of one connection; at this number it is not read from.")
          .with(atLeast(1));

  /** {@code weirmq.connection.request.bytes.max}. */
  public static final ConfigKey CONNECTION_REQUEST_BYTES_MAX =
      ConfigKey.of(
              "weirmq.connection.request.bytes.max",
              LONG,
              "8388608",
              MEDIUM,
              "Bytes of the unanswered requests of one connection; at this number it is not read"
                  + " from. One request may exceed it.")
          .with(atLeast(1));

  /** {@code weirmq.connection.response.bytes.max}. */
  public static final ConfigKey CONNECTION_RESPONSE_BYTES_MAX =
      ConfigKey.of(
              "weirmq.connection.response.bytes.max",
              LONG,
              "268435456",
              MEDIUM,
              "Bytes in memory that wait to be sent to one client; a client that lets more pile up"
                  + " is cut off.")
          .with(atLeast(1048576));

  /** {@code fetch.max.bytes}. */
  public static final ConfigKey FETCH_BYTES_MAX =
      ConfigKey.of(
              "fetch.max.bytes",
              INT,
              "57671680",
              MEDIUM,
              "The largest fetch response in bytes, whatever the client asks for; the first batch"
                  + " is sent whole all the same.")
          .with(atLeast(1024));

  /** {@code max.incremental.fetch.session.cache.slots}. */
  public static final ConfigKey FETCH_SESSIONS_MAX =
      ConfigKey.of(
              "max.incremental.fetch.session.cache.slots",
              INT,
              "1000",
              MEDIUM,
              "Fetch sessions that are kept; 0 switches them off.")
          .with(atLeast(0));

  /** {@code weirmq.request.partitions.max}. */
  public static final ConfigKey REQUEST_PARTITIONS_MAX =
      ConfigKey.of(
              "weirmq.request.partitions.max",
              INT,
              "10000",
              MEDIUM,
              "Partitions that one request may create; a request for more is refused whole.")
          .with(atLeast(1));

  private NetworkKeys() {}

  static List<ConfigKey> all() {
    return List.of(
        IO_THREADS,
        REQUEST_BYTES_MAX,
        CONNECTIONS_MAX,
        CONNECTIONS_PER_IP_MAX,
        IDLE_MS,
        CONNECTION_REQUESTS_MAX,
        CONNECTION_REQUEST_BYTES_MAX,
        CONNECTION_RESPONSE_BYTES_MAX,
        FETCH_BYTES_MAX,
        FETCH_SESSIONS_MAX,
        REQUEST_PARTITIONS_MAX);
  }
}
