package io.weirmq.transport.netty.internal;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.weirmq.transport.netty.NettyIo;

/**
 * The Netty classes that belong to one system interface. Immutable.
 *
 * @param loops makes the I/O part of an event loop
 * @param serverChannel channel class of listeners
 * @param clientChannel channel class of outgoing connections
 */
public record IoBackend(
    IoHandlerFactory loops,
    Class<? extends ServerSocketChannel> serverChannel,
    Class<? extends SocketChannel> clientChannel) {

  /**
   * Returns the classes for a system interface.
   *
   * @throws IllegalStateException where it is not available here
   */
  public static IoBackend of(NettyIo io) {
    return switch (io) {
      case EPOLL -> {
        if (!Epoll.isAvailable()) {
          throw new IllegalStateException("epoll is not available", Epoll.unavailabilityCause());
        }
        yield new IoBackend(
            EpollIoHandler.newFactory(), EpollServerSocketChannel.class, EpollSocketChannel.class);
      }
      case NIO ->
          new IoBackend(
              NioIoHandler.newFactory(), NioServerSocketChannel.class, NioSocketChannel.class);
    };
  }
}
