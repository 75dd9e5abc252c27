package io.weirmq.storage;

import java.io.IOException;

/** The storage can't do what was asked; the message names file, position, expected and found. */
public class StorageException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Makes an exception with a message for an operator. */
  public StorageException(String message) {
    super(message);
  }

  /** Makes an exception with a message for an operator and the failure behind it. */
  public StorageException(String message, Throwable cause) {
    super(message, cause);
  }
}
