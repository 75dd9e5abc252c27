package io.weirmq.storage.internal.compact;

import io.weirmq.storage.StorageException;

/** A run is given up without anything being wrong with its log. */
final class RunInterruptedException extends StorageException {

  private static final long serialVersionUID = 1L;

  RunInterruptedException(String reason) {
    super(reason);
  }
}
