package io.weirmq.storage.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a subclass overrides is not bypassed by methods that are made of it. */
class FilterLogFileSystemTest {

  @TempDir private Path folder;

  private final List<String> seen = new ArrayList<>();
  private final LogFileSystem watched = new Watched();

  @Test
  void writesAndReadsOfWholeBuffersGoThroughTheOverriddenMethods() throws Exception {
    try (LogFile file = watched.open(folder.resolve("a"), LogFileSystem.OpenMode.CREATE_NEW)) {
      file.writeFully(ByteBuffer.wrap("weir".getBytes(StandardCharsets.US_ASCII)), 2);
      ByteBuffer back = ByteBuffer.allocate(6);
      file.readFully(back, 0);

      assertThat(back.array()).containsExactly(0, 0, 'w', 'e', 'i', 'r');
      assertThat(seen).containsExactly("write 4 at 2", "read 6 at 0");
    }
  }

  @Test
  void durableFoldersGoThroughTheOverriddenMethods() throws Exception {
    watched.createDirectoriesDurably(folder.resolve("a/b"));

    assertThat(folder.resolve("a/b")).isDirectory();
    assertThat(seen).containsExactly("force " + folder.getFileName(), "force a");
  }

  @Test
  void theRestIsPassedOn() throws Exception {
    Path path = folder.resolve("a");
    Files.writeString(path, "weirmq");
    LogFileSystem real = new NioLogFileSystem();
    LogFile file = watched.open(path, LogFileSystem.OpenMode.READ_WRITE);
    try (LogFile same = real.open(path, LogFileSystem.OpenMode.READ)) {
      assertThat(file.path()).isEqualTo(path);
      assertThat(file.inode()).isPresent().isEqualTo(same.inode());
      file.truncate(4);
      file.force();
      assertThat(file.size()).isEqualTo(4);
      assertThat(file.channel().isOpen()).isTrue();
    } finally {
      file.close();
    }
    assertThat(file.channel().isOpen()).isFalse();
    assertThat(watched.size(path)).isEqualTo(4);
    assertThat(watched.lastModifiedMs(path)).isEqualTo(real.lastModifiedMs(path));
    assertThat(watched.list(folder)).containsExactly(path);
    watched.rename(path, folder.resolve("b"));
    assertThat(watched.exists(path)).isFalse();
    assertThat(watched.isDirectory(folder)).isTrue();
    assertThat(watched.deleteIfExists(folder.resolve("b"))).isTrue();
    assertThat(folder).isEmptyDirectory();
  }

  /** Notes reads, writes and forces of folders. */
  private final class Watched extends FilterLogFileSystem {

    Watched() {
      super(new NioLogFileSystem());
    }

    @Override
    public LogFile open(Path file, OpenMode mode) throws IOException {
      return new WatchedFile(super.open(file, mode));
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
      seen.add("force " + directory.getFileName());
      super.forceDirectory(directory);
    }
  }

  private final class WatchedFile extends FilterLogFile {

    WatchedFile(LogFile file) {
      super(file);
    }

    @Override
    public long write(ByteBuffer[] sources, int count, long position) throws IOException {
      seen.add("write %d at %d".formatted(sources[0].remaining(), position));
      return super.write(sources, count, position);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      seen.add("read %d at %d".formatted(target.remaining(), position));
      return super.read(target, position);
    }
  }
}
