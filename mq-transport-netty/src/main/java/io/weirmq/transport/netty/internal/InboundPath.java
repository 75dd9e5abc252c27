package io.weirmq.transport.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.weirmq.transport.TransportOptions;
import java.io.EOFException;

/**
 * The way of bytes from the socket to the handler, with its pause.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>No frame is delivered while the connection is paused; what has been read is kept, and the
 *       socket is read no further.
 *   <li>Deliveries do not nest: a resume delivers in a task of its own.
 *   <li>When the peer has ended, its whole frames are delivered first, also after a pause.
 * </ul>
 *
 * <p>Confined to the connection's event loop, except for {@link #pause} and {@link #resume}.
 */
final class InboundPath {

  private final NettyConnection connection;
  private final Channel channel;
  private final FrameAssembler assembler;
  private final ReadBufferHandle readHandle;
  private volatile boolean paused;
  private boolean ended;

  InboundPath(NettyConnection connection, Channel channel, TransportOptions options) {
    this.connection = connection;
    this.channel = channel;
    this.assembler = new FrameAssembler(channel.alloc(), options.frameBytesMax());
    this.readHandle = new ReadBufferHandle(assembler, channel.config());
  }

  /** Tells the event loop into which memory to read. */
  ReadBufferHandle readHandle() {
    return readHandle;
  }

  /** Stops deliveries. From any thread. */
  void pause() {
    paused = true;
    if (channel.eventLoop().inEventLoop()) {
      channel.config().setAutoRead(false);
    } else {
      connection.onLoop(this::followPause);
    }
  }

  /** Lets deliveries go on, later. From any thread. */
  void resume() {
    paused = false;
    connection.onLoop(this::followPause);
  }

  /** Takes received bytes and delivers the frames that are whole by now. */
  void received(ByteBuf bytes) {
    if (connection.isOpen()) {
      assembler.append(bytes);
      deliver();
    } else {
      bytes.release();
    }
  }

  /** Ends a series of reads. */
  void readsEnded() {
    readHandle.seriesEnded();
    assembler.trim();
  }

  /** The peer will send no more. */
  void end() {
    ended = true;
    finish();
  }

  /** Whether the peer has ended. */
  boolean isEnded() {
    return ended;
  }

  /** Drops what has not been delivered. */
  void release() {
    assembler.release();
  }

  private void deliver() {
    try {
      NettyInboundFrame frame;
      while (!paused && connection.isOpen() && (frame = assembler.next()) != null) {
        connection.deliver(frame);
      }
    } catch (FrameLengthException e) {
      connection.framingFailed(e);
    }
  }

  private void followPause() {
    if (!connection.isOpen()) {
      return;
    }
    deliver();
    assembler.trim();
    if (ended) {
      // There is nothing to read any more, and the loop no longer watches the socket for it.
      finish();
    } else {
      channel.config().setAutoRead(!paused);
    }
  }

  private void finish() {
    if (!connection.isOpen()) {
      connection.inputExhausted();
    } else if (!paused) {
      int left = assembler.pendingBytes();
      if (left > 0) {
        connection.abort(
            new EOFException(
                "peer %s ended inside a frame, after %d bytes".formatted(connection.peer(), left)));
      } else {
        connection.inputExhausted();
      }
    }
  }
}
