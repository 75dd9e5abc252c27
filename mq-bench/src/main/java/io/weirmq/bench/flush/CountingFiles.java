package io.weirmq.bench.flush;

import io.weirmq.storage.io.FilterLogFile;
import io.weirmq.storage.io.FilterLogFileSystem;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;

/** Counts the forces of files. Safe for use by several threads. */
final class CountingFiles extends FilterLogFileSystem {

  private final LongAdder forces = new LongAdder();

  CountingFiles(LogFileSystem files) {
    super(files);
  }

  long forceCount() {
    return forces.sum();
  }

  @Override
  public LogFile open(Path file, OpenMode mode) throws IOException {
    return new CountedFile(super.open(file, mode));
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    forces.increment();
    super.forceDirectory(directory);
  }

  private final class CountedFile extends FilterLogFile {

    CountedFile(LogFile file) {
      super(file);
    }

    @Override
    public void force() throws IOException {
      forces.increment();
      super.force();
    }
  }
}
