package io.weirmq.storage.internal.segment;

import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Shortens log files. Confined to one thread (the writer). */
final class LogFileShortening {

  private static final int COPY_BYTES = 64 * 1024;

  private final LogFileSystem files;
  private final Path path;

  LogFileShortening(LogFileSystem files, Path path) {
    this.files = files;
    this.path = path;
  }

  /**
   * Cuts the file itself, durably: what was cut off must not come back behind batches that are
   * appended in its place.
   */
  void inPlace(int length) throws IOException {
    try (LogFile file = files.open(path, OpenMode.READ_WRITE)) {
      if (file.size() > length) {
        file.truncate(length);
        file.force();
      }
    }
  }

  /** Puts a copy of what is kept in the file's place; who holds the old file keeps all of it. */
  void byCopy(int length) throws IOException {
    Path copy = IndexFiles.temporary(path);
    files.deleteIfExists(copy);
    try (LogFile source = files.open(path, OpenMode.READ);
        LogFile target = files.open(copy, OpenMode.CREATE_NEW)) {
      ByteBuffer chunk = ByteBuffer.allocate(COPY_BYTES);
      for (int done = 0; done < length; done += chunk.limit()) {
        chunk.clear().limit(Math.min(COPY_BYTES, length - done));
        source.readFully(chunk, done);
        target.writeFully(chunk.flip(), done);
      }
      target.force();
    }
    files.rename(copy, path);
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null) {
      files.forceDirectory(folder);
    }
  }
}
