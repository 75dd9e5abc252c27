package io.weirmq.bench.flush;

import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts the forces of files. Safe for use by several threads. */
final class CountingFiles implements LogFileSystem {

  private final LogFileSystem files;
  private final LongAdder forces = new LongAdder();

  CountingFiles(LogFileSystem files) {
    this.files = files;
  }

  long forceCount() {
    return forces.sum();
  }

  @Override
  public LogFile open(Path file, OpenMode mode) throws IOException {
    return new CountedFile(files.open(file, mode), forces);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    files.createDirectories(directory);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    files.rename(from, to);
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    return files.deleteIfExists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    return files.list(directory);
  }

  @Override
  public boolean exists(Path path) {
    return files.exists(path);
  }

  @Override
  public boolean isDirectory(Path path) {
    return files.isDirectory(path);
  }

  @Override
  public long size(Path file) throws IOException {
    return files.size(file);
  }

  @Override
  public long lastModifiedMs(Path file) throws IOException {
    return files.lastModifiedMs(file);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    forces.increment();
    files.forceDirectory(directory);
  }

  @Override
  public HeldLock lock(Path file, String holder) throws IOException {
    return files.lock(file, holder);
  }

  private record CountedFile(LogFile file, LongAdder forces) implements LogFile {

    @Override
    public Path path() {
      return file.path();
    }

    @Override
    public long write(ByteBuffer[] sources, int count, long position) throws IOException {
      return file.write(sources, count, position);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return file.read(target, position);
    }

    @Override
    public void truncate(long length) throws IOException {
      file.truncate(length);
    }

    @Override
    public void force() throws IOException {
      forces.increment();
      file.force();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public FileChannel channel() {
      return file.channel();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
