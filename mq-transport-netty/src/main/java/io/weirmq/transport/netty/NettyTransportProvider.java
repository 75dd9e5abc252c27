package io.weirmq.transport.netty;

import io.netty.buffer.PooledByteBufAllocator;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProvider;
import io.weirmq.transport.netty.internal.IoBackend;
import io.weirmq.transport.netty.internal.NettyTransport;
import java.util.Set;

/** Provides {@code tcp} endpoints. Immutable. */
public final class NettyTransportProvider implements TransportProvider {

  private final NettyIo io;

  /** Uses epoll where it is available, NIO elsewhere; the constructor of the service loader. */
  public NettyTransportProvider() {
    this(NettyIo.preferred());
  }

  /** Uses the given system interface. */
  public NettyTransportProvider(NettyIo io) {
    this.io = io;
  }

  @Override
  public Set<String> schemes() {
    return Set.of("tcp");
  }

  /**
   * Opens a transport; its threads start with the first listener or connection.
   *
   * @throws IllegalStateException where epoll was asked for and is not available; the cause says
   *     why
   */
  @Override
  public Transport open(TransportOptions options) {
    return new NettyTransport(IoBackend.of(io), options, PooledByteBufAllocator.DEFAULT);
  }
}
