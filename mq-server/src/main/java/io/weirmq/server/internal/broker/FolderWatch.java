package io.weirmq.server.internal.broker;

import io.weirmq.replication.HostedPartitions;
import io.weirmq.replication.OfflineFolder;
import java.nio.file.Path;

/**
 * Looks after data folders that fail while the broker runs. One among others takes its partitions
 * offline; without the one that holds the metadata, and so without the last one, the broker is
 * down. Confined to one thread (that of the upkeep).
 */
final class FolderWatch {

  private final HostedPartitions partitions;
  private final Path home;
  private final FatalErrors fatalErrors;
  private boolean reported;

  /**
   * Begins.
   *
   * @param home the folder of the metadata
   */
  FolderWatch(HostedPartitions partitions, Path home, FatalErrors fatalErrors) {
    this.partitions = partitions;
    this.home = home;
    this.fatalErrors = fatalErrors;
  }

  /** Takes what has failed offline, and brings online what can be again. */
  void look() {
    partitions.checkFolders();
    if (reported) {
      return;
    }
    for (OfflineFolder folder : partitions.offlineFolders()) {
      if (folder.path().equals(home)) {
        reported = true;
        fatalErrors.report("the data folder of the metadata, " + home + ",", folder.cause());
      }
    }
  }
}
