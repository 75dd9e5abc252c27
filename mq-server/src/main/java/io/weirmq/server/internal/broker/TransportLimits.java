package io.weirmq.server.internal.broker;

import io.weirmq.server.config.NetworkSettings;
import io.weirmq.server.config.SharedMemorySettings;
import io.weirmq.transport.TransportOptions;

/** What the transports of a broker are opened with. Stateless. */
final class TransportLimits {

  private static final int OUTBOUND_LOW_WATERMARK_BYTES = 512 * 1024;
  private static final int OUTBOUND_HIGH_WATERMARK_BYTES = 1024 * 1024;

  private TransportLimits() {}

  static TransportOptions ofTcp(NetworkSettings network) {
    return common(network)
        .withConnectionLimits(network.connectionsMax(), network.connectionsPerIpMax())
        .withIoThreads(network.ioThreads(), "mq-io");
  }

  static TransportOptions ofSharedMemory(NetworkSettings network, SharedMemorySettings shared) {
    // All peers are one user, who is what counts as a host there.
    return common(network)
        .withConnectionLimits(shared.connectionsMax(), shared.connectionsMax())
        .withIoThreads(shared.ioThreads(), "mq-shm")
        .withProperties(shared.transportProperties());
  }

  private static TransportOptions common(NetworkSettings network) {
    return TransportOptions.defaults()
        .withFrameBytesMax(network.requestBytesMax())
        .withOutboundLimits(
            OUTBOUND_LOW_WATERMARK_BYTES,
            OUTBOUND_HIGH_WATERMARK_BYTES,
            Math.max(OUTBOUND_HIGH_WATERMARK_BYTES, network.connectionResponseBytesMax()))
        .withIdleTimeout(network.idleTimeout());
  }
}
