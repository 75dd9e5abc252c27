package io.weirmq.server.internal.group;

import io.weirmq.protocol.ErrorCode;

/** Records could not be appended to {@code __consumer_offsets}. */
public final class OffsetsLogException extends Exception {

  private static final long serialVersionUID = 1L;

  private final ErrorCode error;

  /**
   * Makes an exception.
   *
   * @param error what a producer would be told
   * @param message partition and cause
   */
  public OffsetsLogException(ErrorCode error, String message) {
    super(message);
    this.error = error;
  }

  /** What a producer would be told. */
  public ErrorCode error() {
    return error;
  }
}
