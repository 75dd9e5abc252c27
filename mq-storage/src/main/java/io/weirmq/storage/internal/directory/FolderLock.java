package io.weirmq.storage.internal.directory;

import io.weirmq.storage.RefusedFolderException;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.FileLockedException;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/** The lock of a data folder: {@code .lock}, with pid and host of the holder in it. */
final class FolderLock {

  private static final String NAME = ".lock";

  private final LogFileSystem.HeldLock held;
  private final Path file;

  private FolderLock(LogFileSystem.HeldLock held, Path file) {
    this.held = held;
    this.file = file;
  }

  static FolderLock take(LogFileSystem files, Path folder) throws StorageException {
    Path file = folder.resolve(NAME);
    try {
      return new FolderLock(files.lock(file, holder()), file);
    } catch (FileLockedException e) {
      throw new RefusedFolderException(
          "data folder %s is in use by %s; a folder serves one broker"
              .formatted(folder, e.holder()),
          e);
    } catch (IOException e) {
      throw new StorageException("data folder %s can't be locked: %s".formatted(folder, e), e);
    }
  }

  private static String holder() {
    return "pid %d on host %s".formatted(ProcessHandle.current().pid(), hostName());
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      // The host has a name that it can't resolve; the message carries it.
      return String.valueOf(e.getMessage());
    }
  }

  void close() throws StorageException {
    try {
      held.close();
    } catch (IOException e) {
      throw new StorageException("lock %s can't be given back: %s".formatted(file, e), e);
    }
  }
}
