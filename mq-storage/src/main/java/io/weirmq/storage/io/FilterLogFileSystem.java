package io.weirmq.storage.io;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A file system in front of another one, for subclasses that change, refuse or count some of what
 * is asked of it. As it is it passes everything on.
 *
 * <p>What a subclass must know:
 *
 * <ul>
 *   <li>{@link #createDirectoriesDurably} is not passed on: it is made of {@link
 *       #createDirectories} and {@link #forceDirectory} of this object, so that a subclass that
 *       overrides these sees every folder
 *   <li>{@link #open} returns the file of the other file system; a subclass that wants to see reads
 *       and writes wraps it, in a {@link FilterLogFile}
 * </ul>
 *
 * <p>As safe for use by several threads as what it stands before.
 */
public abstract class FilterLogFileSystem implements LogFileSystem {

  private final LogFileSystem files;

  /**
   * Stands before a file system.
   *
   * @param files does what is passed on
   */
  protected FilterLogFileSystem(LogFileSystem files) {
    this.files = files;
  }

  @Override
  public LogFile open(Path file, OpenMode mode) throws IOException {
    return files.open(file, mode);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    files.createDirectories(directory);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    files.rename(from, to);
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    return files.deleteIfExists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    return files.list(directory);
  }

  @Override
  public boolean exists(Path path) {
    return files.exists(path);
  }

  @Override
  public boolean isDirectory(Path path) {
    return files.isDirectory(path);
  }

  @Override
  public long size(Path file) throws IOException {
    return files.size(file);
  }

  @Override
  public long lastModifiedMs(Path file) throws IOException {
    return files.lastModifiedMs(file);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    files.forceDirectory(directory);
  }

  @Override
  public HeldLock lock(Path file, String holder) throws IOException {
    return files.lock(file, holder);
  }
}
