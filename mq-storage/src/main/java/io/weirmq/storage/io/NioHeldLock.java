package io.weirmq.storage.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock on a file: the operating system's against other processes, a marker file against other
 * callers in this one.
 *
 * <p>The marker is needed because POSIX drops a process's lock on a file as soon as the process
 * closes <em>any</em> descriptor of that file. A second caller in the same process must therefore
 * be refused before it opens the locked file. The marker's name carries a token of this process, so
 * that one left by a killed process never matches; whoever gets the lock removes such markers.
 */
final class NioHeldLock implements LogFileSystem.HeldLock {

  private static final Logger LOG = LoggerFactory.getLogger(NioHeldLock.class);

  /** Names this process (strictly: this class as loaded) among all that ever ran. */
  private static final String PROCESS_TOKEN = UUID.randomUUID().toString();

  private static final int HOLDER_BYTES_MAX = 1024;

  private final Path marker;
  private final FileChannel channel;
  private final FileLock lock;

  private NioHeldLock(Path marker, FileChannel channel, FileLock lock) {
    this.marker = marker;
    this.channel = channel;
    this.lock = lock;
  }

  static NioHeldLock take(Path file, String holder) throws IOException {
    Path marker = file.resolveSibling(file.getFileName() + "." + PROCESS_TOKEN);
    try {
      Files.createFile(marker);
    } catch (FileAlreadyExistsException e) {
      throw new FileLockedException(file, "this process, " + holder);
    }
    FileChannel channel = null;
    try {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      FileLock lock = tryLock(channel);
      if (lock == null) {
        throw new FileLockedException(file, readHolder(channel));
      }
      writeHolder(channel, holder);
      removeStaleMarkers(file, marker);
      return new NioHeldLock(marker, channel, lock);
    } catch (IOException | RuntimeException e) {
      releaseAfterFailure(e, channel, marker);
      throw e;
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // Held in this process by a copy of this class that another class loader brought.
      return null;
    }
  }

  private static void writeHolder(FileChannel channel, String holder) {
    try {
      channel.truncate(0);
      channel.write(ByteBuffer.wrap((holder + "\n").getBytes(StandardCharsets.UTF_8)), 0);
    } catch (IOException e) {
      // The lock is held all the same, and on a full disk it has to be had; only the message to
      // those who are refused lacks a name.
      LOG.warn("lock is held without a name in it: {}", e.toString());
    }
  }

  private static String readHolder(FileChannel channel) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(HOLDER_BYTES_MAX);
    channel.read(content, 0);
    return StandardCharsets.UTF_8.decode(content.flip()).toString().strip();
  }

  private static void removeStaleMarkers(Path file, Path ownMarker) throws IOException {
    Path directory = ownMarker.toAbsolutePath().getParent();
    if (directory == null) {
      return;
    }
    try (DirectoryStream<Path> markers =
        Files.newDirectoryStream(directory, file.getFileName() + ".*")) {
      for (Path marker : markers) {
        if (!marker.getFileName().equals(ownMarker.getFileName())) {
          Files.deleteIfExists(marker);
        }
      }
    }
  }

  private static void releaseAfterFailure(
      Exception cause, @Nullable FileChannel channel, Path marker) {
    try {
      if (channel != null) {
        channel.close();
      }
      Files.deleteIfExists(marker);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  @Override
  public void close() throws IOException {
    if (!channel.isOpen()) {
      return;
    }
    try {
      lock.release();
    } finally {
      channel.close();
      Files.deleteIfExists(marker);
    }
  }
}
