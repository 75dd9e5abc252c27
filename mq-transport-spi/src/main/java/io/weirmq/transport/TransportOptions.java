package io.weirmq.transport;

import java.time.Duration;
import java.util.Map;

/**
 * Limits and sizes of a transport. Immutable; start from {@link #defaults()}.
 *
 * <p>The three outbound limits are per connection and measured in {@link
 * OutboundFrame#pendingCostBytes()}: bytes in memory count in full, a file slice counts 64 KiB at
 * most.
 *
 * @param frameBytesMax largest accepted inbound frame in bytes; a larger one ends its connection
 * @param outboundHighWatermarkBytes pending outbound bytes above which a connection is not writable
 * @param outboundLowWatermarkBytes pending outbound bytes below which it is writable again
 * @param outboundBytesMax pending outbound bytes above which the connection is closed
 * @param connectionsMax open accepted connections per transport; further ones are closed at once
 * @param connectionsPerHostMax open accepted connections per remote host
 * @param idleTimeout a connection without traffic in either direction for so long is closed; zero
 *     means never
 * @param socketSendBufferBytes size of a connection's send buffer in the system, as a hint; 0
 *     leaves it to the system, which adapts it to the link
 * @param socketReceiveBufferBytes the same for the receive buffer
 * @param ioThreads number of I/O threads, at least 1
 * @param threadNamePrefix first part of the I/O threads' names
 * @param properties settings that only one kind of transport has, by name; a name begins with a
 *     scheme of that transport and a dot, {@code shm.wait.strategy} for instance, and the provider
 *     documents it. A transport leaves names of other schemes aside
 */
public record TransportOptions(
    int frameBytesMax,
    int outboundHighWatermarkBytes,
    int outboundLowWatermarkBytes,
    long outboundBytesMax,
    int connectionsMax,
    int connectionsPerHostMax,
    Duration idleTimeout,
    int socketSendBufferBytes,
    int socketReceiveBufferBytes,
    int ioThreads,
    String threadNamePrefix,
    Map<String, String> properties) {

  /** Checks that the sizes fit together. */
  public TransportOptions {
    properties = Map.copyOf(properties);
    requirePositive("frameBytesMax", frameBytesMax);
    requirePositive("outboundLowWatermarkBytes", outboundLowWatermarkBytes);
    requirePositive("connectionsMax", connectionsMax);
    requirePositive("connectionsPerHostMax", connectionsPerHostMax);
    requireNotNegative("socketSendBufferBytes", socketSendBufferBytes);
    requireNotNegative("socketReceiveBufferBytes", socketReceiveBufferBytes);
    requirePositive("ioThreads", ioThreads);
    if (outboundHighWatermarkBytes < outboundLowWatermarkBytes
        || outboundBytesMax < outboundHighWatermarkBytes) {
      throw new IllegalArgumentException(
          "outbound limits must rise: low watermark %d, high watermark %d, maximum %d"
              .formatted(outboundLowWatermarkBytes, outboundHighWatermarkBytes, outboundBytesMax));
    }
    if (idleTimeout.isNegative()) {
      throw new IllegalArgumentException("idleTimeout " + idleTimeout + " is negative");
    }
  }

  /** Returns the defaults: 100 MiB frames, two I/O threads, ten minutes of idleness. */
  public static TransportOptions defaults() {
    return new TransportOptions(
        100 * 1024 * 1024,
        1024 * 1024,
        512 * 1024,
        256L * 1024 * 1024,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE,
        Duration.ofMinutes(10),
        0,
        0,
        2,
        "mq-io",
        Map.of());
  }

  /** Returns these options with another frame limit. */
  public TransportOptions withFrameBytesMax(int bytes) {
    return new TransportOptions(
        bytes,
        outboundHighWatermarkBytes,
        outboundLowWatermarkBytes,
        outboundBytesMax,
        connectionsMax,
        connectionsPerHostMax,
        idleTimeout,
        socketSendBufferBytes,
        socketReceiveBufferBytes,
        ioThreads,
        threadNamePrefix,
        properties);
  }

  /** Returns these options with other outbound limits, all in bytes. */
  public TransportOptions withOutboundLimits(int lowWatermark, int highWatermark, long maximum) {
    return new TransportOptions(
        frameBytesMax,
        highWatermark,
        lowWatermark,
        maximum,
        connectionsMax,
        connectionsPerHostMax,
        idleTimeout,
        socketSendBufferBytes,
        socketReceiveBufferBytes,
        ioThreads,
        threadNamePrefix,
        properties);
  }

  /** Returns these options with other connection limits. */
  public TransportOptions withConnectionLimits(int total, int perHost) {
    return new TransportOptions(
        frameBytesMax,
        outboundHighWatermarkBytes,
        outboundLowWatermarkBytes,
        outboundBytesMax,
        total,
        perHost,
        idleTimeout,
        socketSendBufferBytes,
        socketReceiveBufferBytes,
        ioThreads,
        threadNamePrefix,
        properties);
  }

  /** Returns these options with another idle time-out; zero means never. */
  public TransportOptions withIdleTimeout(Duration timeout) {
    return new TransportOptions(
        frameBytesMax,
        outboundHighWatermarkBytes,
        outboundLowWatermarkBytes,
        outboundBytesMax,
        connectionsMax,
        connectionsPerHostMax,
        timeout,
        socketSendBufferBytes,
        socketReceiveBufferBytes,
        ioThreads,
        threadNamePrefix,
        properties);
  }

  /** Returns these options with other socket buffer sizes in bytes; 0 leaves one to the system. */
  public TransportOptions withSocketBuffers(int sendBytes, int receiveBytes) {
    return new TransportOptions(
        frameBytesMax,
        outboundHighWatermarkBytes,
        outboundLowWatermarkBytes,
        outboundBytesMax,
        connectionsMax,
        connectionsPerHostMax,
        idleTimeout,
        sendBytes,
        receiveBytes,
        ioThreads,
        threadNamePrefix,
        properties);
  }

  /** Returns these options with another number of I/O threads and their name. */
  public TransportOptions withIoThreads(int count, String namePrefix) {
    return new TransportOptions(
        frameBytesMax,
        outboundHighWatermarkBytes,
        outboundLowWatermarkBytes,
        outboundBytesMax,
        connectionsMax,
        connectionsPerHostMax,
        idleTimeout,
        socketSendBufferBytes,
        socketReceiveBufferBytes,
        count,
        namePrefix,
        properties);
  }

  /** Returns these options with other properties, all of them. */
  public TransportOptions withProperties(Map<String, String> all) {
    return new TransportOptions(
        frameBytesMax,
        outboundHighWatermarkBytes,
        outboundLowWatermarkBytes,
        outboundBytesMax,
        connectionsMax,
        connectionsPerHostMax,
        idleTimeout,
        socketSendBufferBytes,
        socketReceiveBufferBytes,
        ioThreads,
        threadNamePrefix,
        all);
  }

  private static void requireNotNegative(String name, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " is " + value + ", expected 0 or more");
    }
  }

  private static void requirePositive(String name, int value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " is " + value + ", expected at least 1");
    }
  }
}
