package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;

/** What was asked for breaks a rule; nothing was changed. */
public final class RefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** Makes the exception with the code and the message that the client is told. */
  public RefusedException(ErrorCode code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  /** The outcome as the client is told. */
  public AdminError error() {
    return new AdminError(code, getMessage());
  }
}
