package io.weirmq.storage;

import io.weirmq.storage.internal.directory.DataFolder;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.file.Path;
import java.time.InstantSource;

/** Opens data folders. */
public final class LogDirectories {

  private LogDirectories() {}

  /**
   * Opens a data folder; one that doesn't exist is made. Takes the folder's lock, and after an
   * unclean stop recovers the logs.
   *
   * @param folder the data folder
   * @param options how it is opened
   * @param files the file system
   * @param clock wall clock
   * @return to be closed by the caller
   * @throws StorageException where somebody else has it open (the message names pid and host), it
   *     belongs to another broker or cluster, or the disk refuses
   */
  public static LogDirectory open(
      Path folder, LogDirectoryOptions options, LogFileSystem files, InstantSource clock)
      throws StorageException {
    return DataFolder.open(folder, options, files, clock);
  }
}
