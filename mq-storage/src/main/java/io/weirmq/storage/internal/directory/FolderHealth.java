package io.weirmq.storage.internal.directory;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.MetaPropertiesFile;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the disk under a data folder takes writes at all.
 *
 * <p>One refused write says nothing about the others: the file may be damaged. So each refusal, but
 * for those of a full disk, is followed by a probe: the bytes of {@code meta.properties} are
 * written over themselves and forced, and so are the names in the folder. That takes no room. A
 * probe that the disk refuses too is the folder's failure, which nothing but another start ends.
 *
 * <p>Safe for use by several threads.
 */
final class FolderHealth {

  /** Least time between two probes; refusals in between are not followed by one. */
  static final long PROBE_INTERVAL_MS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(FolderHealth.class);

  /** What systems say where the room is used up; a full disk is none that has failed. */
  private static final List<String> FULL =
      List.of("No space left", "quota exceeded", "not enough space on the disk");

  private final LogFileSystem files;
  private final Path folder;
  private final InstantSource clock;

  private volatile @Nullable StorageException failure;

  /** Guarded by this; null before the first probe. */
  private @Nullable Long probedMs;

  FolderHealth(LogFileSystem files, Path folder, InstantSource clock) {
    this.files = files;
    this.folder = folder;
    this.clock = clock;
  }

  /** Why the folder has failed; null while it has not. */
  @Nullable StorageException failure() {
    return failure;
  }

  /**
   * Notes that the disk refused something; looks whether it refuses everything. Blocks for the
   * probe.
   */
  synchronized void refused(StorageException cause) {
    if (failure != null || isLackOfRoom(cause) || !takeProbe(clock.millis())) {
      return;
    }
    try {
      probe();
    } catch (IOException e) {
      if (!isLackOfRoom(e)) {
        fail(cause, e);
      }
    }
  }

  private boolean takeProbe(long nowMs) {
    Long before = probedMs;
    // A clock that was set back must not hold the next probe up.
    if (before != null && nowMs >= before && nowMs - before < PROBE_INTERVAL_MS) {
      return false;
    }
    probedMs = nowMs;
    return true;
  }

  private void probe() throws IOException {
    Path file = folder.resolve(MetaPropertiesFile.NAME);
    if (files.exists(file)) {
      try (LogFile opened = files.open(file, OpenMode.READ_WRITE)) {
        ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(opened.size()));
        opened.readFully(content, 0);
        opened.writeFully(content.flip(), 0);
        opened.force();
      }
    }
    files.forceDirectory(folder);
  }

  private void fail(StorageException cause, IOException refusedProbe) {
    StorageException failed =
        new StorageException(
            "data folder %s has failed: %s; then %s"
                .formatted(folder, cause.getMessage(), refusedProbe),
            cause);
    failed.addSuppressed(refusedProbe);
    LOG.error("{}", failed.getMessage(), failed);
    failure = failed;
  }

  private static boolean isLackOfRoom(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      String message = String.valueOf(each.getMessage());
      if (FULL.stream().anyMatch(message::contains)) {
        return true;
      }
    }
    return false;
  }
}
