package io.weirmq.server;

import io.weirmq.storage.io.FilterLogFile;
import io.weirmq.storage.io.FilterLogFileSystem;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * The system's files, where whatever changes certain ones is refused with what an operating system
 * says. Cutting and removing are refused by a broken disk only. Reads go on. Safe for use by
 * several threads.
 */
final class RefusingFiles extends FilterLogFileSystem {

  private static final String BROKEN = "Input/output error";
  private static final String FULL = "No space left on device";

  private volatile Refusal refusal = new Refusal(path -> false, "");

  RefusingFiles() {
    super(new NioLogFileSystem());
  }

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
    if (mode != OpenMode.READ && !exists(file)) {
      checkNoRoom(file);
    }
    return new RefusingFile(super.open(file, mode));
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    checkNoRoom(directory);
    super.createDirectories(directory);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    checkBroken(to);
    super.rename(from, to);
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    checkBroken(path);
    return super.deleteIfExists(path);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    checkBroken(directory);
    super.forceDirectory(directory);
  }

  private final class RefusingFile extends FilterLogFile {

    RefusingFile(LogFile file) {
      super(file);
    }

    @Override
    public long write(ByteBuffer[] sources, int count, long position) throws IOException {
      checkNoRoom(path());
      return super.write(sources, count, position);
    }

    @Override
    public void truncate(long length) throws IOException {
      checkBroken(path());
      super.truncate(length);
    }

    @Override
    public void force() throws IOException {
      checkBroken(path());
      super.force();
    }
  }
}
