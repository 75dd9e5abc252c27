package io.weirmq.server;

import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/**
 * The system's files, where whatever changes certain ones is refused with what an operating system
 * says. Cutting and removing are refused by a broken disk only. Reads go on. Safe for use by
 * several threads.
 */
final class RefusingFiles implements LogFileSystem {

  private static final String BROKEN = "Input/output error";
  private static final String FULL = "No space left on device";

  private final LogFileSystem files = new NioLogFileSystem();
  private volatile Refusal refusal = new Refusal(path -> false, "");

  private record Refusal(Predicate<Path> paths, String message) {

    void check(Path path) throws IOException {
      if (paths.test(path)) {
        throw new IOException(path + ": " + message);
      }
    }
  }

  /** From now on the disk under some paths is broken. */
  void breakUnder(Path folder) {
    refusal = new Refusal(path -> path.startsWith(folder), BROKEN);
  }

  /** From now on there is no room under some paths. */
  void fillUnder(Path folder) {
    refusal = new Refusal(path -> path.startsWith(folder), FULL);
  }

  /** All is well from now on. */
  void mend() {
    refusal = new Refusal(path -> false, "");
  }

  private void checkNoRoom(Path path) throws IOException {
    refusal.check(path);
  }

  private void checkBroken(Path path) throws IOException {
    Refusal now = refusal;
    if (now.message().equals(BROKEN)) {
      now.check(path);
    }
  }

  @Override
  public LogFile open(Path file, OpenMode mode) throws IOException {
    if (mode != OpenMode.READ && !files.exists(file)) {
      checkNoRoom(file);
    }
    return new RefusingFile(files.open(file, mode));
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    checkNoRoom(directory);
    files.createDirectories(directory);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    checkBroken(to);
    files.rename(from, to);
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    checkBroken(path);
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
    checkBroken(directory);
    files.forceDirectory(directory);
  }

  @Override
  public HeldLock lock(Path file, String holder) throws IOException {
    return files.lock(file, holder);
  }

  private final class RefusingFile implements LogFile {

    private final LogFile file;

    RefusingFile(LogFile file) {
      this.file = file;
    }

    @Override
    public Path path() {
      return file.path();
    }

    @Override
    public long write(ByteBuffer[] sources, int count, long position) throws IOException {
      checkNoRoom(path());
      return file.write(sources, count, position);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return file.read(target, position);
    }

    @Override
    public void truncate(long length) throws IOException {
      checkBroken(path());
      file.truncate(length);
    }

    @Override
    public void force() throws IOException {
      checkBroken(path());
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
