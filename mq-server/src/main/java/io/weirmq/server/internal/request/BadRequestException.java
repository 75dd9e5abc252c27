package io.weirmq.server.internal.request;

import java.io.Serial;

/** A frame that is no request which this broker answers; it costs the client its connection. */
final class BadRequestException extends Exception {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Makes one without a stack trace: it tells of the client, and clients may send many.
   *
   * @param what what the frame holds, to be put behind "closed on"
   */
  BadRequestException(String what) {
    super(what, null, false, false);
  }
}
