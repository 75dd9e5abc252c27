package io.weirmq.bench.peers.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Idler;
import io.weirmq.bench.compare.worker.Link;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Length-prefixed messages over TCP by Netty alone: one event loop, pooled buffers, TCP_NODELAY,
 * epoll where its native code is there, a write per message and a flush per burst.
 */
public final class NettyLink implements Link {

  private static final int FRAME_BYTES_MAX = 1 << 20;

  private final EventLoopGroup group;
  private final Receiver receiver;
  private final int port;
  private volatile @Nullable Channel channel;
  private volatile boolean closing;

  /** Made by name. */
  public NettyLink(Settings settings, Side side, Receiver receiver) throws InterruptedException {
    this.receiver = receiver;
    boolean epoll = Epoll.isAvailable();
    group =
        new MultiThreadIoEventLoopGroup(
            1, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    InetAddress host = InetAddress.getLoopbackAddress();
    if (side == Side.RECEIVER) {
      Channel server =
          new ServerBootstrap()
              .group(group)
              .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
              .childOption(ChannelOption.TCP_NODELAY, true)
              .childHandler(new Pipeline())
              .bind(host, 0)
              .sync()
              .channel();
      port = ((InetSocketAddress) server.localAddress()).getPort();
    } else {
      port = settings.number("port");
      channel =
          new Bootstrap()
              .group(group)
              .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
              .option(ChannelOption.TCP_NODELAY, true)
              .handler(new Pipeline())
              .connect(host, port)
              .sync()
              .channel();
    }
  }

  /** Frames by a length of four bytes. */
  private final class Pipeline extends ChannelInitializer<SocketChannel> {

    @Override
    protected void initChannel(SocketChannel socket) {
      socket
          .pipeline()
          .addLast(
              new LengthFieldBasedFrameDecoder(FRAME_BYTES_MAX, 0, Integer.BYTES, 0, Integer.BYTES))
          .addLast(new Incoming());
      channel = socket;
    }
  }

  /** Hands frames to the receiver. */
  private final class Incoming extends SimpleChannelInboundHandler<ByteBuf> {

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
      ByteBuffer view = frame.internalNioBuffer(frame.readerIndex(), frame.readableBytes());
      receiver.onMessage(view, view.position(), view.remaining());
    }
  }

  @Override
  public Map<String, String> facts() {
    return Map.of("port", Integer.toString(port));
  }

  @Override
  public boolean offer(ByteBuffer message) {
    Channel to = channel;
    if (to == null || !to.isActive()) {
      if (closing) {
        return true;
      }
      throw new IllegalStateException("the connection is gone");
    }
    if (!to.isWritable()) {
      return false;
    }
    int length = message.capacity();
    ByteBuf frame = to.alloc().directBuffer(Integer.BYTES + length);
    frame.writeInt(length).writeBytes(message.duplicate().clear());
    to.write(frame, to.voidPromise());
    return true;
  }

  @Override
  public void flush() {
    Channel to = channel;
    if (to != null) {
      to.flush();
    }
  }

  @Override
  public boolean isPolled() {
    return false;
  }

  @Override
  public int poll(boolean mayBlock) {
    return 0;
  }

  @Override
  public void idle(int workCount) {
    Idler.PARK.idle(workCount);
  }

  @Override
  public void close() {
    closing = true;
    group.shutdownGracefully();
  }
}
