package io.weirmq.server.cli;

import io.weirmq.protocol.ErrorCode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The cluster refused what a command asked for; the message is shown as it is. */
final class CommandFailedException extends IOException {

  private static final long serialVersionUID = 1L;

  CommandFailedException(String message) {
    super(message);
  }

  /** Throws unless the code is {@link ErrorCode#NONE}; the message names what was asked. */
  static void check(short code, String what, @Nullable String brokerMessage)
      throws CommandFailedException {
    ErrorCode error = ErrorCode.forCode(code);
    if (error != ErrorCode.NONE) {
      String reason = brokerMessage == null ? error.text() : brokerMessage;
      throw new CommandFailedException("%s: %s (%s)".formatted(what, reason, error));
    }
  }
}
