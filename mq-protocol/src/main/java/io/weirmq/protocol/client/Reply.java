package io.weirmq.protocol.client;

import io.weirmq.protocol.ApiMessage;
import io.weirmq.transport.InboundFrame;

/**
 * A response with the frame that it was decoded from. Its records are slices of the frame, so that
 * the reply must be closed when they have been used. Confined to one thread at a time.
 *
 * @param message the response
 * @param version the version that it has
 * @param frame transferred to whoever holds the reply
 */
public record Reply<P extends ApiMessage>(P message, short version, InboundFrame frame)
    implements AutoCloseable {

  /** Gives the frame back; the records of the message must not be touched afterwards. */
  @Override
  public void close() {
    frame.release();
  }
}
