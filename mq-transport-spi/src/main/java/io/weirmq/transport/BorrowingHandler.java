package io.weirmq.transport;

import java.nio.ByteBuffer;

/**
 * A handler that is done with each frame when its callback returns, so that a transport need not
 * give memory away for it. The way for many small frames; what has to be kept is copied.
 *
 * <p>Transports call {@link #onContent} where they can lend the frame, and {@link #onFrame}, which
 * comes to the same, where they can't.
 */
public interface BorrowingHandler extends ConnectionHandler {

  /**
   * Called for each frame.
   *
   * @param content the frame, from position to limit, big-endian; borrowed: valid until this
   *     returns, and may be written to. The same instance may come with the next frame
   */
  void onContent(Connection connection, ByteBuffer content);

  @Override
  default void onFrame(Connection connection, InboundFrame frame) {
    try {
      onContent(connection, frame.buffer());
    } finally {
      frame.release();
    }
  }
}
