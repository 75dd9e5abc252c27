package io.weirmq.transport;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * One connection between two peers. Safe for use by several threads.
 *
 * <p>Flow control works in both directions. Inbound: {@link #pauseReading()} stops the callbacks
 * and thereby, once buffers have filled, the peer. Outbound: {@link #isWritable()} turns false
 * above the high watermark of {@link TransportOptions}; a handler that goes on sending regardless
 * is cut off at {@link TransportOptions#outboundBytesMax()}: the connection is closed and its
 * pending frames are released. What a pending frame counts is {@link
 * OutboundFrame#pendingCostBytes()}.
 *
 * <p>After the connection has ended every method may still be called: frames are released unsent,
 * and the others do nothing.
 */
public interface Connection {

  /** A number that no other connection of this transport has. */
  long id();

  /** What is known of the other side. */
  Peer peer();

  /** The endpoint of the listener that accepted this connection, or that was connected to. */
  Endpoint endpoint();

  /**
   * Queues a frame. Ownership passes to the transport, which releases the frame exactly once, also
   * where the connection is closed already. Never blocks. The frame may be held back until {@link
   * #flush()}.
   *
   * @throws IllegalArgumentException where the frame is longer than a length prefix can say
   *     (2<sup>31</sup> - 1 bytes); the frame is released
   */
  void send(OutboundFrame frame);

  /**
   * Sends a copy of a frame, unless it would have to wait. Never blocks. As with {@link #send}, the
   * frame may be held back until {@link #flush()}, and frames of one thread arrive in the order of
   * the calls of both.
   *
   * <p>The way for many small frames: there is no object per frame, and nothing is released. What
   * the peer has not taken is never queued above the watermark. Where the answer is false, try
   * again later, or {@link #send} the frame, which queues it.
   *
   * @param content the frame, from position to limit; borrowed during the call, and its position
   *     does not move
   * @return whether the frame was taken; false where the peer is behind, or the connection is not
   *     writable or has ended. What was sent before has been flushed then
   */
  default boolean offer(ByteBuffer content) {
    if (!isWritable()) {
      flush();
      return false;
    }
    ByteBuffer copy = ByteBuffer.allocate(content.remaining());
    send(OutboundFrame.of(copy.put(content.duplicate()).flip()));
    return true;
  }

  /**
   * Sends copies of several frames in order, up to the first that would have to wait. Costs less
   * than so many calls of {@link #offer(ByteBuffer)}, and means the same.
   *
   * @param contents holds the frames; the array and its buffers are borrowed during the call
   * @param from index of the first frame
   * @param to index behind the last one
   * @return the number of frames taken, 0 to {@code to - from}
   * @throws IndexOutOfBoundsException where the indexes are not within the array; nothing was sent
   */
  default int offer(ByteBuffer[] contents, int from, int to) {
    Objects.checkFromToIndex(from, to, contents.length);
    int index = from;
    while (index < to && offer(contents[index])) {
      index++;
    }
    return index - from;
  }

  /** Writes what is queued. Never blocks, and several calls in a row cost little more than one. */
  void flush();

  /**
   * Whether pending outbound bytes are below the watermark; false where the connection is closed or
   * closing. Whoever has seen false on an open connection will see {@link
   * ConnectionHandler#onWritabilityChanged} with true, unless the connection ends first.
   */
  boolean isWritable();

  /**
   * Stops the delivery of frames until {@link #resumeReading()}. Called from a callback, no further
   * frame is delivered after that callback; called from another thread, at most the callback that
   * is under way when this method returns. Frames that the transport has read already are kept, and
   * it reads no more than its buffers hold. Pausing twice is the same as pausing once.
   */
  void pauseReading();

  /** Delivers frames again, in a callback of its own and never inside this call. */
  void resumeReading();

  /**
   * Runs a task on the thread that makes this connection's callbacks, after those that are under
   * way; tasks of one thread run in the order of the calls, also after the connection has ended.
   * The task is dropped where the transport has been closed. An exception out of the task closes
   * the connection.
   */
  void execute(Runnable task);

  /**
   * Closes after frames that were already sent have left; closing again does nothing. Frames of the
   * peer that were not delivered yet are dropped. The wait for a peer that does not read is bounded
   * (a few seconds); then the connection is cut. {@link ConnectionHandler#onClosed} follows, never
   * inside this call.
   */
  void close();

  /**
   * Cuts the connection: frames that have not left yet are dropped, and released soon, whatever the
   * peer does. {@link ConnectionHandler#onClosed} follows with the cause, never inside this call.
   * Nothing happens where the connection has ended.
   *
   * @param cause why
   */
  void abort(Throwable cause);
}
