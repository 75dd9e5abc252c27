package io.weirmq.storage.internal.directory;

import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files and folders that wait for their removal. What can't be removed is tried again with the next
 * call. After a restart they are found by their names. Safe for use by several threads.
 */
final class RemovalQueue {

  private static final Logger LOG = LoggerFactory.getLogger(RemovalQueue.class);

  private final LogFileSystem files;
  private final PriorityQueue<Entry> entries =
      new PriorityQueue<>(Comparator.comparingLong(Entry::dueMs));

  /**
   * What is to be removed.
   *
   * @param told whether the log was told that it can't be
   */
  private record Entry(Path path, long dueMs, boolean told) {}

  RemovalQueue(LogFileSystem files) {
    this.files = files;
  }

  synchronized void add(Path path, long dueMs) {
    entries.add(new Entry(path, dueMs, false));
  }

  private synchronized void addAgain(Entry entry) {
    entries.add(new Entry(entry.path(), entry.dueMs(), true));
  }

  void removeDue(long nowMs) {
    for (Entry entry : takeDue(nowMs)) {
      try {
        removeTree(entry.path());
      } catch (IOException e) {
        if (!entry.told()) {
          LOG.warn("{} can't be removed yet, and is tried again: {}", entry.path(), e.toString());
        }
        addAgain(entry);
      }
    }
  }

  private synchronized List<Entry> takeDue(long nowMs) {
    List<Entry> due = new ArrayList<>();
    Entry first = entries.peek();
    while (first != null && first.dueMs() <= nowMs) {
      due.add(first);
      entries.remove();
      first = entries.peek();
    }
    return due;
  }

  private void removeTree(Path path) throws IOException {
    if (files.isDirectory(path)) {
      for (Path child : files.list(path)) {
        removeTree(child);
      }
    }
    files.deleteIfExists(path);
  }
}
