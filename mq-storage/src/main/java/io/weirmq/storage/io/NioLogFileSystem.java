package io.weirmq.storage.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The file system of the machine. Safe for use by several threads. */
public final class NioLogFileSystem implements LogFileSystem {

  /** Makes the file system; it holds nothing. */
  public NioLogFileSystem() {}

  @Override
  public LogFile open(Path file, OpenMode mode) throws IOException {
    OptionalLong before = mode == OpenMode.READ ? inode(file) : OptionalLong.empty();
    FileChannel channel = openChannel(file, mode);
    OptionalLong after = inode(file);
    // A file that was opened for writing belongs to this process, which gives its name away later.
    boolean isThatFile = mode != OpenMode.READ || before.equals(after);
    return new NioLogFile(file, channel, isThatFile ? after : OptionalLong.empty());
  }

  private static OptionalLong inode(Path file) {
    try {
      return Files.getAttribute(file, "unix:ino") instanceof Long number
          ? OptionalLong.of(number)
          : OptionalLong.empty();
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return OptionalLong.empty(); // direct readers are told that there is no such number
    }
  }

  private static FileChannel openChannel(Path file, OpenMode mode) throws IOException {
    return switch (mode) {
      case READ -> FileChannel.open(file, StandardOpenOption.READ);
      case READ_WRITE ->
          FileChannel.open(
              file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
      case CREATE_NEW ->
          FileChannel.open(
              file,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.CREATE_NEW);
    };
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    return Files.deleteIfExists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    List<Path> entries = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(entries::add);
    } catch (java.nio.file.DirectoryIteratorException e) {
      throw e.getCause();
    }
    return entries;
  }

  @Override
  public boolean exists(Path path) {
    return Files.exists(path);
  }

  @Override
  public boolean isDirectory(Path path) {
    return Files.isDirectory(path);
  }

  @Override
  public long size(Path file) throws IOException {
    return Files.size(file);
  }

  @Override
  public long lastModifiedMs(Path file) throws IOException {
    return Files.getLastModifiedTime(file).toMillis();
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    // A folder can be opened for reading on every Unix; elsewhere names need no force of their own.
    if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  @Override
  public HeldLock lock(Path file, String holder) throws IOException {
    return NioHeldLock.take(file, holder);
  }
}
