package io.weirmq.transport;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What the system says of a file itself; links are not followed. Immutable.
 *
 * @param kind whether it is a folder
 * @param uid number of its owner
 * @param mode its type and permissions, as {@code stat} gives them
 */
record UnixFile(Kind kind, long uid, int mode) {

  /** On Linux its owner is the user whose rights the process has now. */
  private static final Path PROCESS = Path.of("/proc/self");

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");

  /** Bits of the mode that tell the type, and two of their values. */
  private static final int TYPE_BITS = 0170000;

  private static final int TYPE_FOLDER = 0040000;
  private static final int TYPE_FILE = 0100000;

  /** What a file is. */
  enum Kind {
    FOLDER("folder"),
    FILE("regular file"),
    OTHER("folder or regular file");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /** Returns the number of the user that this process runs as; empty where there is none. */
  static OptionalLong ownUid() {
    try {
      Object uid = Files.getAttribute(PROCESS, "unix:uid");
      return OptionalLong.of(Integer.toUnsignedLong((Integer) uid));
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * Looks at a file.
   *
   * @throws NoSuchFileException where there is none
   */
  static UnixFile read(Path path) throws IOException {
    Map<String, Object> found =
        Files.readAttributes(path, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
    int mode = number(found, "mode");
    Kind kind =
        switch (mode & TYPE_BITS) {
          case TYPE_FOLDER -> Kind.FOLDER;
          case TYPE_FILE -> Kind.FILE;
          default -> Kind.OTHER;
        };
    return new UnixFile(kind, Integer.toUnsignedLong(number(found, "uid")), mode);
  }

  private static int number(Map<String, Object> attributes, String name) {
    return (Integer) Objects.requireNonNull(attributes.get(name), name);
  }

  /** Whether this is a folder of a user. */
  static boolean isFolderOf(Path path, long uid) {
    try {
      UnixFile found = read(path);
      return found.kind() == Kind.FOLDER && found.uid() == uid;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Makes a folder where it is missing, and closes it to others.
   *
   * @throws IOException where it can't be made, or belongs to somebody else; the message names path
   *     and user
   */
  static void requireOwnFolder(Path folder, long uid) throws IOException {
    FileAttribute<?> permissions = PosixFilePermissions.asFileAttribute(PRIVATE);
    try {
      Files.createDirectory(folder, permissions);
    } catch (FileAlreadyExistsException e) {
      UnixFile found = read(folder);
      if (found.kind() != Kind.FOLDER || found.uid() != uid) {
        throw new IOException(
            "%s is not a folder of user %d, as which this process runs: mode %o, user %d"
                .formatted(folder, uid, found.mode(), found.uid()),
            e);
      }
      close(folder, uid);
    } catch (IOException e) {
      throw FileFailure.of(folder, "can't be made", uid, e);
    }
  }

  private static void close(Path folder, long uid) throws IOException {
    try {
      Files.setPosixFilePermissions(folder, PRIVATE);
    } catch (IOException e) {
      throw FileFailure.of(folder, "can't be closed to others", uid, e);
    }
  }
}
