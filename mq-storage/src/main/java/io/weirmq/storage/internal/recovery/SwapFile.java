package io.weirmq.storage.internal.recovery;

import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.SegmentEnvironment;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.file.Path;

/** Reads a finished compacted file that is not in place yet. */
final class SwapFile {

  private SwapFile() {}

  /** The offset behind the file's last batch; the one behind the base offset where it is empty. */
  static long nextOffset(SegmentEnvironment environment, Path file, long baseOffset)
      throws IOException {
    BatchWalker walker = environment.walkers().take();
    try (LogFile log = environment.files().open(file, OpenMode.READ)) {
      long next = baseOffset + 1;
      walker.begin(log, 0, Math.toIntExact(log.size()));
      while (walker.next()) {
        next = walker.batch().nextOffset();
      }
      return next;
    } finally {
      environment.walkers().giveBack(walker);
    }
  }
}
