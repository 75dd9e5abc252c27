package io.weirmq.server.internal.broker;

import io.weirmq.replication.OfflineFolder;
import io.weirmq.replication.metadata.TopicIds;
import io.weirmq.server.internal.broker.RememberedFolders.Entry;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds data folders that have lost their content since the last start, as where a disk is not
 * mounted: what is at the path then is another folder, mostly an empty one. Such a folder is
 * offline, so that nothing is put where the disk will cover it. Confined to one thread.
 */
final class LostFolders {

  private static final Logger LOG = LoggerFactory.getLogger(LostFolders.class);

  private final RememberedFolders memory;
  private final Path home;

  /**
   * Begins.
   *
   * @param home the folder that has the memory: where that can be read, the folder is not lost
   */
  LostFolders(RememberedFolders memory, Path home) {
    this.memory = memory;
    this.home = RememberedFolders.normal(home);
  }

  /**
   * Moves folders that have lost their content from those in use to those that are offline, closed,
   * and remembers the others.
   *
   * @param directories open; changed
   * @param offline folders that could not be opened; changed
   * @param used whether the broker has had partitions before
   */
  void takeOut(List<LogDirectory> directories, List<OfflineFolder> offline, boolean used) {
    RememberedFolders.Reading reading = memory.read();
    if (!reading.damages().isEmpty()) {
      LOG.warn(
          "{} is damaged and written anew, with {} folders that could be read: {}",
          memory.file(),
          reading.entries().size(),
          reading.damages());
    } else if (!reading.exists() && used) {
      LOG.warn(
          "there is no {}; that no data folder has lost its content is not known, and it is written anew",
          memory.file());
    }
    Set<Path> failed =
        offline.stream()
            .map(folder -> RememberedFolders.normal(folder.path()))
            .collect(Collectors.toSet());
    Set<Entry> next = new HashSet<>();
    for (Entry entry : reading.entries()) {
      if (directories.stream().anyMatch(each -> each.directoryId().equals(entry.id()))) {
        continue; // Written below, with the path that it has now.
      }
      if (failed.contains(entry.path()) || isLost(entry, directories)) {
        next.add(entry);
      }
    }
    for (Entry entry : next) {
      at(entry.path(), directories)
          .ifPresent(found -> takeOut(entry, found, reading.entries(), directories, offline));
    }
    List<Entry> entries = new ArrayList<>(next);
    directories.forEach(
        each -> entries.add(new Entry(each.directoryId(), RememberedFolders.normal(each.path()))));
    if (!reading.damages().isEmpty()
        || !Set.copyOf(reading.entries()).equals(Set.copyOf(entries))) {
      write(entries);
    }
  }

  private boolean isLost(Entry entry, List<LogDirectory> directories) {
    Optional<LogDirectory> found = at(entry.path(), directories);
    String id = TopicIds.toText(entry.id());
    if (found.isEmpty()) {
      LOG.warn("data folder {} with id {} is in log.dirs no more; forgotten", entry.path(), id);
      return false;
    }
    boolean hasLogs = found.get().directoryIdIsNew() && !found.get().logs().isEmpty();
    if (hasLogs || entry.path().equals(home)) {
      LOG.warn(
          "data folder {} had lost its id {} and has {} now; its logs are there",
          entry.path(),
          id,
          TopicIds.toText(found.get().directoryId()));
      return false;
    }
    return true;
  }

  private void takeOut(
      Entry entry,
      LogDirectory found,
      List<Entry> remembered,
      List<LogDirectory> directories,
      List<OfflineFolder> offline) {
    StorageException cause =
        new StorageException(
            "data folder %s has lost its content: its id is %s, expected %s"
                .formatted(
                    entry.path(),
                    TopicIds.toText(found.directoryId()),
                    TopicIds.toText(entry.id())));
    LOG.error(
        "{}; partitions whose logs are in no other folder are offline. Mount the disk and start the"
            + " broker again, or, where the data is given up on purpose, remove the line of {} from"
            + " {} first",
        cause.getMessage(),
        TopicIds.toText(entry.id()),
        memory.file());
    offline.add(new OfflineFolder(found.path(), cause));
    if (remembered.stream().anyMatch(each -> each.id().equals(found.directoryId()))) {
      return; // A disk that was used at another path: its own logs are there.
    }
    directories.remove(found);
    try {
      found.close();
    } catch (StorageException e) {
      cause.addSuppressed(e);
      LOG.warn("data folder {} could not be closed in order: {}", found.path(), e.getMessage());
    }
  }

  private static Optional<LogDirectory> at(Path path, List<LogDirectory> directories) {
    return directories.stream()
        .filter(each -> RememberedFolders.normal(each.path()).equals(path))
        .findFirst();
  }

  /** A disk without room is no reason not to serve. */
  private void write(List<Entry> entries) {
    try {
      memory.write(entries);
    } catch (StorageException e) {
      LOG.warn(
          "{}; a data folder that loses its content may not be noticed at the next start",
          e.getMessage());
    }
  }
}
