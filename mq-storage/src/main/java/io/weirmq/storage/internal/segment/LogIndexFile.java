package io.weirmq.storage.internal.segment;

import io.weirmq.index.IndexFile;
import io.weirmq.storage.io.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An index file over the storage engine's seam. */
final class LogIndexFile implements IndexFile {

  private final LogFile file;

  LogIndexFile(LogFile file) {
    this.file = file;
  }

  @Override
  public String name() {
    return file.path().toString();
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  @Override
  public void read(ByteBuffer target, long position) throws IOException {
    long next = position;
    while (target.hasRemaining()) {
      int count = file.read(target, next);
      if (count < 0) {
        return;
      }
      next += count;
    }
  }

  @Override
  public void write(ByteBuffer source, long position) throws IOException {
    file.writeFully(source, position);
  }

  @Override
  public void truncate(long length) throws IOException {
    file.truncate(length);
  }

  @Override
  public void force() throws IOException {
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
