package io.weirmq.transport;

/**
 * One connection between two peers. Safe for use by several threads.
 *
 * <p>Flow control works in both directions. Inbound: {@link #pauseReading()} stops the callbacks (a
 * few frames already read may still come) and thereby, once buffers have filled, the peer.
 * Outbound: {@link #isWritable()} turns false above the high watermark of {@link TransportOptions};
 * a handler that goes on sending regardless is cut off at {@link
 * TransportOptions#outboundBytesMax()}: the connection is closed and its pending frames are
 * released.
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
   */
  void send(OutboundFrame frame);

  /** Writes what is queued. Never blocks. */
  void flush();

  /** Whether pending outbound bytes are below the watermark. */
  boolean isWritable();

  /** Stops reading frames until {@link #resumeReading()}. */
  void pauseReading();

  /** Reads frames again. */
  void resumeReading();

  /**
   * Runs a task on the thread that makes this connection's callbacks, after those that are under
   * way; the task is dropped where the transport has been closed.
   */
  void execute(Runnable task);

  /** Closes after frames that were already sent have left; closing again does nothing. */
  void close();
}
