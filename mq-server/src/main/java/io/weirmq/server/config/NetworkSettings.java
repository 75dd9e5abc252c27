package io.weirmq.server.config;

import java.time.Duration;

/**
 * Settings of connections. Immutable.
 *
 * @param ioThreads threads that read, handle and write
 * @param requestBytesMax the largest request in bytes
 * @param connectionsMax open connections of the broker
 * @param connectionsPerIpMax open connections per client address
 * @param idleTimeout a connection that is idle for so long is closed; zero for never
 * @param connectionRequestsMax unanswered requests of one connection
 * @param connectionRequestBytesMax bytes of the unanswered requests of one connection
 * @param connectionResponseBytesMax bytes in memory that wait to be sent to one client
 */
public record NetworkSettings(
    int ioThreads,
    int requestBytesMax,
    int connectionsMax,
    int connectionsPerIpMax,
    Duration idleTimeout,
    int connectionRequestsMax,
    long connectionRequestBytesMax,
    long connectionResponseBytesMax) {

  static NetworkSettings of(ConfigValues values) {
    return new NetworkSettings(
        values.intValue(NetworkKeys.IO_THREADS),
        values.intValue(NetworkKeys.REQUEST_BYTES_MAX),
        values.intValue(NetworkKeys.CONNECTIONS_MAX),
        values.intValue(NetworkKeys.CONNECTIONS_PER_IP_MAX),
        Duration.ofMillis(Math.max(0, values.longValue(NetworkKeys.IDLE_MS))),
        values.intValue(NetworkKeys.CONNECTION_REQUESTS_MAX),
        values.longValue(NetworkKeys.CONNECTION_REQUEST_BYTES_MAX),
        values.longValue(NetworkKeys.CONNECTION_RESPONSE_BYTES_MAX));
  }
}
