package io.weirmq.client.ipc;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A publisher or subscriber can't do what was asked: the broker is not there, refuses, or the log
 * can't be read. The message names topic, partition and cause.
 */
public final class IpcException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Makes an exception that names what failed. */
  public IpcException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
