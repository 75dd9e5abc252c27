package io.weirmq.transport.shm.internal.folder;

import java.io.IOException;

/** The file system has no room for the memory of one more connection. */
public final class ShortMemoryException extends IOException {

  private static final long serialVersionUID = 1L;

  ShortMemoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
