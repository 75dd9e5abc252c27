package io.weirmq.transport.netty.internal;

import static org.awaitility.Awaitility.await;

import io.netty.buffer.PooledByteBufAllocator;
import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.netty.NettyIo;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;

/** A transport with an allocator of its own, so that a test sees exactly what is in use. */
final class NettyFixture implements AutoCloseable {

  final PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
  final NettyTransport transport;
  final Listener listener;

  NettyFixture(NettyIo io, TransportOptions options, ConnectionHandler.Factory handlers)
      throws IOException {
    transport = new NettyTransport(IoBackend.of(io), options, allocator);
    listener = transport.listen(Endpoint.tcp("127.0.0.1", 0), handlers);
  }

  Endpoint endpoint() {
    return listener.endpoint();
  }

  /** Bytes of direct memory in buffers that somebody holds. */
  long memoryInUse() {
    return allocator.pinnedDirectMemory();
  }

  /** Bytes of direct memory that the pool has taken from the system. */
  long memoryReserved() {
    return allocator.metric().usedDirectMemory();
  }

  static void eventually(String what, Callable<Boolean> condition) {
    await(what)
        .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
        .pollInterval(Duration.ofMillis(2))
        .until(condition);
  }

  @Override
  public void close() {
    transport.close();
  }
}
