package io.weirmq.transport;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Puts into words what the system refuses. Many of its exceptions have the path for a message and
 * nothing else. Stateless.
 */
final class FileFailure {

  private FileFailure() {}

  /**
   * Returns an exception that says what failed, where, and as whom.
   *
   * @param path what it was about
   * @param failed what can't be done with it, as in "can't be made"
   * @param uid number of the user that this process runs as
   * @param cause what the system said; of this path or of one that was needed for it
   */
  static IOException of(Path path, String failed, long uid, IOException cause) {
    boolean ofAnother =
        cause instanceof FileSystemException refused
            && refused.getFile() != null
            && !refused.getFile().equals(path.toString());
    String where = ofAnother ? ((FileSystemException) cause).getFile() + ": " : "";
    return new IOException(
        "%s %s as user %d: %s%s".formatted(path, failed, uid, where, reason(cause)), cause);
  }

  /** Returns why, without the path where the system gives that apart. */
  static String reason(Exception cause) {
    if (cause instanceof FileSystemException refused) {
      return reason(refused);
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  private static String reason(FileSystemException refused) {
    if (refused.getReason() != null) {
      return refused.getReason();
    }
    if (refused instanceof AccessDeniedException) {
      return "access denied";
    }
    if (refused instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    return refused.getClass().getSimpleName();
  }
}
