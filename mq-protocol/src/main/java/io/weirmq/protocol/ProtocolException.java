package io.weirmq.protocol;

import java.io.Serial;

/**
 * Bytes from a peer that are not what the protocol allows. The text names the message, the field,
 * the position in the frame, what was expected and what was found.
 */
public final class ProtocolException extends Exception {

  @Serial private static final long serialVersionUID = 1L;

  /** Makes one with its text. */
  public ProtocolException(String message) {
    super(message);
  }
}
