package io.weirmq.protocol.client;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A request got no answer: the connection ended, or the broker does not serve it. */
public final class ChannelException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Makes an exception that names broker and request. */
  public ChannelException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
