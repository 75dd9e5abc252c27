package io.weirmq.storage;

import java.nio.file.Path;

/** Bytes in a segment that should be a record batch are none; the segment is left as it is. */
public final class CorruptSegmentException extends StorageException {

  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final long position;

  /**
   * Makes the exception; file and position are put in front of the message.
   *
   * @param file the segment's log file
   * @param position in bytes, where the bad batch starts
   * @param message what was expected and what was found
   */
  public CorruptSegmentException(Path file, long position, String message) {
    super("%s at position %d: %s".formatted(file, position, message));
    this.file = file;
    this.position = position;
  }

  /** The segment's log file. */
  public Path file() {
    return file;
  }

  /** Position in bytes where the bad batch starts. */
  public long position() {
    return position;
  }
}
