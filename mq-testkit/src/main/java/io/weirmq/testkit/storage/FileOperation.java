package io.weirmq.testkit.storage;

import java.nio.file.Path;

/**
 * What is about to be done to a file or folder. Immutable.
 *
 * @param kind what is done
 * @param path to what; of a renaming the old name
 * @param target of a renaming the new name, else the same as {@code path}
 * @param position of a read or write in bytes, of a truncation the new length, else 0
 * @param lengthBytes of a read or write the bytes asked for, else 0
 */
public record FileOperation(Kind kind, Path path, Path target, long position, long lengthBytes) {

  /** The kinds of operations. */
  public enum Kind {
    /** Opening a file that exists. */
    OPEN(false),
    /** Opening a file that is made by it, or taking a lock whose file is. */
    CREATE(true),
    /** Writing; one of several buffers counts once. */
    WRITE(true),
    /** Reading. */
    READ(false),
    /** Cutting a file. */
    TRUNCATE(true),
    /** Making a file's bytes durable. */
    FORCE(true),
    /** Making a folder; one for each that was missing. */
    CREATE_FOLDER(true),
    /** Renaming. */
    RENAME(true),
    /** Removing something that exists. */
    DELETE(true),
    /** Making a folder's names durable. */
    FORCE_FOLDER(true),
    /** Listing a folder, or asking for a length or a time. */
    LOOK(false);

    private final boolean change;

    Kind(boolean change) {
      this.change = change;
    }

    /** Whether a power cut before the operation may leave something else than one after it. */
    public boolean isChange() {
      return change;
    }
  }

  static FileOperation on(Kind kind, Path path) {
    return new FileOperation(kind, path, path, 0, 0);
  }

  static FileOperation on(Kind kind, Path path, long position, long lengthBytes) {
    return new FileOperation(kind, path, path, position, lengthBytes);
  }

  /** Whether the last name of the path, or of the target, ends like this. */
  public boolean isOn(String suffix) {
    return path.toString().endsWith(suffix) || target.toString().endsWith(suffix);
  }

  /** The operation as one line. */
  @Override
  public String toString() {
    return switch (kind) {
      case RENAME -> "RENAME %s to %s".formatted(path, target.getFileName());
      case READ, WRITE -> "%s %s at %d, %d bytes".formatted(kind, path, position, lengthBytes);
      case TRUNCATE -> "TRUNCATE %s to %d".formatted(path, position);
      default -> kind + " " + path;
    };
  }
}
