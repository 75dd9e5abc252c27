package io.weirmq.testkit.storage;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * How often files were used, and how many bytes were moved, by the names under which they were
 * opened. Failed operations don't count. Safe for use by several threads.
 */
public final class FileCounts {

  private final Map<Path, Map<FileOperation.Kind, long[]>> counts = new HashMap<>();

  FileCounts() {}

  synchronized void add(FileOperation operation, long bytes) {
    long[] entry =
        counts
            .computeIfAbsent(operation.path(), path -> new EnumMap<>(FileOperation.Kind.class))
            .computeIfAbsent(operation.kind(), kind -> new long[2]);
    entry[0]++;
    entry[1] += bytes;
  }

  /** Forgets what was counted. */
  public synchronized void reset() {
    counts.clear();
  }

  /** Operations of a kind on all paths that a test asks for. */
  public long operations(FileOperation.Kind kind, Predicate<Path> paths) {
    return sum(kind, paths, 0);
  }

  /** Bytes moved by operations of a kind, {@code READ} or {@code WRITE}. */
  public long bytes(FileOperation.Kind kind, Predicate<Path> paths) {
    return sum(kind, paths, 1);
  }

  private synchronized long sum(FileOperation.Kind kind, Predicate<Path> paths, int what) {
    return counts.entrySet().stream()
        .filter(entry -> paths.test(entry.getKey()))
        .map(entry -> entry.getValue().get(kind))
        .filter(java.util.Objects::nonNull)
        .mapToLong(entry -> entry[what])
        .sum();
  }
}
