package io.weirmq.storage.internal.recovery;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentEnvironment;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what a stopped process was about to do to the files of a partition.
 *
 * <ul>
 *   <li>{@code .deleted} and {@code .tmp} files are removed
 *   <li>{@code .cleaned} files are removed: compaction was not done with them; with them go {@code
 *       .swap} files at or above the smallest of them, which belong to the same unfinished split
 *   <li>other {@code .swap} files are put in place: the segments that begin between their first and
 *       last offset are removed, then they get their names
 *   <li>index files without a log file are removed
 * </ul>
 *
 * <p>Every step can be done again after an interruption. Confined to one thread.
 */
final class FolderTidying {

  private static final Logger LOG = LoggerFactory.getLogger(FolderTidying.class);

  private final SegmentEnvironment environment;
  private final LogFileSystem files;
  private final Path folder;

  FolderTidying(SegmentEnvironment environment, Path folder) {
    this.environment = environment;
    this.files = environment.files();
    this.folder = folder;
  }

  /** Tidies up and returns what is left. */
  FolderContents tidy() throws IOException {
    FolderContents found = FolderContents.read(files, folder);
    boolean changed = removeAll(found.leftovers());
    if (!found.cleaned().isEmpty() || !found.swaps().isEmpty()) {
      removeUnfinished(found);
      finishSwaps();
      changed = true;
    }
    FolderContents left = changed ? FolderContents.read(files, folder) : found;
    return removeOrphans(left) ? FolderContents.read(files, folder) : left;
  }

  private boolean removeAll(List<Path> paths) throws IOException {
    for (Path path : paths) {
      files.deleteIfExists(path);
    }
    return !paths.isEmpty();
  }

  private void removeUnfinished(FolderContents found) throws IOException {
    long smallest =
        found.cleaned().stream()
            .mapToLong(path -> offsetBehind(path, SegmentFileKind.CLEANED_SUFFIX))
            .min()
            .orElse(Long.MAX_VALUE);
    boolean some =
        removeAll(
            found.swaps().stream()
                .filter(path -> offsetBehind(path, SegmentFileKind.SWAP_SUFFIX) >= smallest)
                .toList());
    if (some) {
      // Those that say which are unfinished go last, also where this is interrupted.
      files.forceDirectory(folder);
    }
    removeAll(found.cleaned());
  }

  private static long offsetBehind(Path path, String suffix) {
    String name = path.getFileName().toString();
    String original = name.substring(0, name.length() - suffix.length());
    return SegmentFileKind.of(original)
        .map(kind -> kind.offsetOf(original))
        .orElse(OptionalLong.empty())
        .orElse(Long.MAX_VALUE);
  }

  private void finishSwaps() throws IOException {
    FolderContents now = FolderContents.read(files, folder);
    if (now.swaps().isEmpty()) {
      return;
    }
    removeCovered(now);
    files.forceDirectory(folder);
    for (Path swap : now.swaps()) {
      LOG.info("compacted file {} is put in place", swap);
      files.rename(swap, swap.resolveSibling(original(swap)));
    }
    files.forceDirectory(folder);
  }

  private static String original(Path swap) {
    String name = swap.getFileName().toString();
    return name.substring(0, name.length() - SegmentFileKind.SWAP_SUFFIX.length());
  }

  /**
   * Removes the segments in the place of which compacted ones come: all from the first to the last
   * offset of these, for they are of one group; see {@code SegmentSettling}.
   */
  private void removeCovered(FolderContents now) throws IOException {
    Set<String> names = new HashSet<>();
    long first = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    for (Path swap : now.swaps()) {
      String name = original(swap);
      names.add(name);
      OptionalLong baseOffset = SegmentFileKind.LOG.offsetOf(name);
      if (baseOffset.isPresent()) {
        first = Math.min(first, baseOffset.getAsLong());
        end = Math.max(end, SwapFile.nextOffset(environment, swap, baseOffset.getAsLong()));
      }
    }
    if (first >= end) {
      return;
    }
    for (Long covered : now.offsets(SegmentFileKind.LOG).subSet(first, end)) {
      boolean replaced = names.contains(fileName(SegmentFileKind.LOG, covered));
      for (SegmentFileKind kind : Segment.FILES) {
        // A compacted log whose index file is not there any more has it under the final name.
        if (!replaced || names.contains(fileName(kind, covered))) {
          files.deleteIfExists(kind.in(folder, covered));
        }
      }
    }
  }

  private String fileName(SegmentFileKind kind, long offset) {
    return kind.in(folder, offset).getFileName().toString();
  }

  private boolean removeOrphans(FolderContents contents) throws IOException {
    boolean removed = false;
    for (SegmentFileKind kind : Segment.FILES) {
      for (Long offset : contents.offsets(kind)) {
        if (!contents.offsets(SegmentFileKind.LOG).contains(offset)) {
          LOG.warn("{} has no log file beside it and is removed", kind.in(folder, offset));
          files.deleteIfExists(kind.in(folder, offset));
          removed = true;
        }
      }
    }
    return removed;
  }

  /** Tidies up, with failures named. */
  static FolderContents tidy(SegmentEnvironment environment, Path folder) throws StorageException {
    try {
      return new FolderTidying(environment, folder).tidy();
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException("folder %s can't be read or tidied: %s".formatted(folder, e), e);
    }
  }
}
