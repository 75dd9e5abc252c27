package io.weirmq.storage.io;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The operations on files and folders that the storage engine needs. Safe for use by several
 * threads.
 *
 * <p>Names are durable only after {@link #forceDirectory}; see the package's rules.
 */
public interface LogFileSystem {

  /** How a file is opened. */
  enum OpenMode {
    /** An existing file, for reading. */
    READ,
    /** A file that exists or is made, for reading and writing. */
    READ_WRITE,
    /** A file that must not exist yet, for reading and writing. */
    CREATE_NEW
  }

  /**
   * Opens a file.
   *
   * @return the open file, which the caller closes
   * @throws java.nio.file.NoSuchFileException for {@link OpenMode#READ} where there is no such file
   * @throws java.nio.file.FileAlreadyExistsException for {@link OpenMode#CREATE_NEW} where there is
   * @throws IOException where the file can't be opened
   */
  LogFile open(Path file, OpenMode mode) throws IOException;

  /**
   * Makes a folder and the missing ones above it; does nothing where it exists.
   *
   * @throws IOException where it can't be made, or a file has the name
   */
  void createDirectories(Path directory) throws IOException;

  /**
   * Makes a folder and the missing ones above it, with durable names.
   *
   * @throws IOException where one can't be made, or the disk refuses
   */
  default void createDirectoriesDurably(Path directory) throws IOException {
    Path folder = directory.toAbsolutePath();
    Path above = folder.getParent();
    if (above == null || isDirectory(folder)) {
      return;
    }
    createDirectoriesDurably(above);
    createDirectories(folder);
    forceDirectory(above);
  }

  /**
   * Renames a file or folder in one step. An existing file of the new name is replaced.
   *
   * @throws IOException where it can't be renamed; then nothing has changed
   */
  void rename(Path from, Path to) throws IOException;

  /**
   * Removes a file or an empty folder.
   *
   * @return whether there was something to remove
   * @throws IOException where it can't be removed
   */
  boolean deleteIfExists(Path path) throws IOException;

  /**
   * Returns what is in a folder, in no particular order.
   *
   * @throws IOException where the folder can't be read
   */
  List<Path> list(Path directory) throws IOException;

  /** Tells whether there is a file or folder of that name. */
  boolean exists(Path path);

  /** Tells whether there is a folder of that name. */
  boolean isDirectory(Path path);

  /**
   * Returns a file's length in bytes.
   *
   * @throws java.nio.file.NoSuchFileException where there is no such file
   * @throws IOException where it can't be read
   */
  long size(Path file) throws IOException;

  /**
   * Returns when a file was written last, milliseconds since the epoch.
   *
   * @throws IOException where it can't be read
   */
  long lastModifiedMs(Path file) throws IOException;

  /**
   * Makes the names in a folder durable. May block for as long as the disk takes.
   *
   * @throws IOException where the disk refuses
   */
  void forceDirectory(Path directory) throws IOException;

  /**
   * Locks a file against other processes and other callers in this one, without waiting. The lock
   * ends with the process, so that a file that a killed process left is no obstacle.
   *
   * @param holder one line that is told to those who are refused, such as pid and host
   * @return the lock, which the caller closes
   * @throws FileLockedException where somebody holds it
   * @throws IOException where the file can't be made or locked
   */
  HeldLock lock(Path file, String holder) throws IOException;

  /** A lock that is held. Safe for use by several threads. */
  interface HeldLock extends AutoCloseable {

    /** Gives the lock back. Closing again does nothing. */
    @Override
    void close() throws IOException;
  }
}
