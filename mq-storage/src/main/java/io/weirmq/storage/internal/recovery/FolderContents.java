package io.weirmq.storage.internal.recovery;

import io.weirmq.storage.internal.checkpoint.ForceFailedFile;
import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.log.SegmentCheckpointFile;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.internal.segment.TransactionIndexRecordFile;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/** The names in a partition's folder, sorted by what they are. Immutable after reading. */
final class FolderContents {

  private final Map<SegmentFileKind, NavigableSet<Long>> offsets =
      new EnumMap<>(SegmentFileKind.class);
  private final List<Path> leftovers = new ArrayList<>();
  private final List<Path> cleaned = new ArrayList<>();
  private final List<Path> swaps = new ArrayList<>();
  private boolean hasLeaderEpochs;
  private boolean hasFailedForce;
  private boolean hasSegmentCheckpoint;
  private boolean hasTransactionIndexRecords;

  private FolderContents() {
    for (SegmentFileKind kind : SegmentFileKind.values()) {
      offsets.put(kind, new TreeSet<>());
    }
  }

  /** Nothing. */
  static FolderContents none() {
    return new FolderContents();
  }

  static FolderContents read(LogFileSystem files, Path folder) throws IOException {
    FolderContents contents = new FolderContents();
    for (Path path : files.list(folder)) {
      contents.add(path);
    }
    return contents;
  }

  private void add(Path path) {
    String name = path.getFileName().toString();
    if (name.endsWith(SegmentFileKind.DELETED_SUFFIX)
        || name.endsWith(SegmentFileKind.TEMPORARY_SUFFIX)) {
      leftovers.add(path);
    } else if (name.endsWith(SegmentFileKind.CLEANED_SUFFIX)) {
      cleaned.add(path);
    } else if (name.endsWith(SegmentFileKind.SWAP_SUFFIX)) {
      swaps.add(path);
    } else if (name.equals(LeaderEpochs.NAME)) {
      hasLeaderEpochs = true;
    } else if (name.equals(ForceFailedFile.NAME)) {
      hasFailedForce = true;
    } else if (name.equals(SegmentCheckpointFile.NAME)) {
      hasSegmentCheckpoint = true;
    } else if (name.equals(TransactionIndexRecordFile.NAME)) {
      hasTransactionIndexRecords = true;
    } else {
      Optional<SegmentFileKind> kind = SegmentFileKind.of(name);
      kind.ifPresent(found -> offsets(found).add(found.offsetOf(name).getAsLong()));
    }
  }

  /** The offsets of the files of a kind. */
  NavigableSet<Long> offsets(SegmentFileKind kind) {
    return offsets.getOrDefault(kind, new TreeSet<>());
  }

  /** Whether there is a file of leader epochs. */
  boolean hasLeaderEpochs() {
    return hasLeaderEpochs;
  }

  /** Whether a force has failed, and what it should have covered may be in memory only. */
  boolean hasFailedForce() {
    return hasFailedForce;
  }

  /** Whether there is a checkpoint inside a segment. */
  boolean hasSegmentCheckpoint() {
    return hasSegmentCheckpoint;
  }

  /** Whether something is remembered of transaction indexes. */
  boolean hasTransactionIndexRecords() {
    return hasTransactionIndexRecords;
  }

  /** Files that were to be removed, or were being written. */
  List<Path> leftovers() {
    return leftovers;
  }

  /** Files that compaction has not finished. */
  List<Path> cleaned() {
    return cleaned;
  }

  /** Files that compaction has finished, but not put in place. */
  List<Path> swaps() {
    return swaps;
  }
}
