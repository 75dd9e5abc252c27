package io.weirmq.server.internal.broker;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.FileLockedException;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/**
 * Keeps a second broker from the metadata file of this one. The data folders have locks of their
 * own, but they are opened after the metadata was read.
 */
final class MetadataLock implements AutoCloseable {

  private final LogFileSystem.HeldLock held;

  private MetadataLock(LogFileSystem.HeldLock held) {
    this.held = held;
  }

  /**
   * Takes the lock.
   *
   * @param folder the folder of the metadata file; made where it does not exist
   * @throws StorageException where another broker has it; names its process and host
   */
  static MetadataLock take(LogFileSystem files, Path folder) throws StorageException {
    try {
      files.createDirectoriesDurably(folder);
      return new MetadataLock(files.lock(folder.resolve(".metadata.lock"), holder()));
    } catch (FileLockedException e) {
      throw new StorageException(
          "data folder %s is in use by %s; a folder serves one broker"
              .formatted(folder, e.holder()),
          e);
    } catch (IOException e) {
      throw new StorageException(
          "data folder %s can't be locked: %s; as the first of log.dirs it holds the metadata, without which no other folder can be used"
              .formatted(folder, e),
          e);
    }
  }

  private static String holder() {
    return "pid %d on host %s".formatted(ProcessHandle.current().pid(), hostName());
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return String.valueOf(e.getMessage()); // carries the name that does not resolve
    }
  }

  @Override
  public void close() throws IOException {
    held.close();
  }
}
