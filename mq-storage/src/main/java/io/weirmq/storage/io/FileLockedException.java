package io.weirmq.storage.io;

import java.io.IOException;
import java.nio.file.Path;

/** A file is locked by another process, or by another caller in this one. */
public final class FileLockedException extends IOException {

  private static final long serialVersionUID = 1L;

  private final String holder;

  /** Makes the exception; the message names the file and the holder. */
  public FileLockedException(Path file, String holder) {
    super(file + " is locked by " + (holder.isBlank() ? "an unknown process" : holder));
    this.holder = holder;
  }

  /** What the holder said of itself when it took the lock; empty where that is unknown. */
  public String holder() {
    return holder;
  }
}
