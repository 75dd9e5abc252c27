package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;

/** The log was cut, or retention took segments away, while compaction read them. */
public final class LogChangedException extends StorageException {

  private static final long serialVersionUID = 1L;

  LogChangedException(String message) {
    super(message);
  }
}
