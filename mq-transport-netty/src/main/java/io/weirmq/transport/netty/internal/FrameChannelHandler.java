package io.weirmq.transport.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.timeout.IdleStateEvent;

/** Passes the events of a channel on to its connection. Confined to the connection's event loop. */
final class FrameChannelHandler extends ChannelInboundHandlerAdapter {

  private final NettyConnection connection;

  FrameChannelHandler(NettyConnection connection) {
    this.connection = connection;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    connection.attached(context);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    connection.opened();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    connection.inbound().received((ByteBuf) message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    connection.inbound().readsEnded();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      connection.inbound().end();
    } else if (event instanceof IdleStateEvent) {
      connection.idle();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    connection.abort(cause);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    connection.ended();
  }
}
