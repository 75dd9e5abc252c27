package io.weirmq.testkit.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.io.FileLockedException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.testkit.storage.FileOperation.Kind;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The model is a file system like the machine's while nothing goes wrong, and fails as told. */
class InMemoryFileSystemTest {

  private static final Path FOLDER = Path.of("/data");
  private static final Path FILE = FOLDER.resolve("file");

  private final InMemoryFileSystem disk = new InMemoryFileSystem();

  private LogFile create() throws IOException {
    disk.createDirectories(FOLDER);
    return disk.open(FILE, OpenMode.CREATE_NEW);
  }

  private static ByteBuffer bytes(int... values) {
    ByteBuffer buffer = ByteBuffer.allocate(values.length);
    for (int value : values) {
      buffer.put((byte) value);
    }
    return buffer.flip();
  }

  /** Random use of both file systems gives the same answers, the kinds of failures included. */
  @Test
  void behavesAsTheMachinesFileSystem(@TempDir Path temporary) throws IOException {
    for (long seed = 0; seed < 20; seed++) {
      Path base = temporary.resolve("seed-" + seed);
      InMemoryFileSystem memory = new InMemoryFileSystem();
      List<String> expected = use(new NioLogFileSystem(), base, new Random(seed));
      assertThat(use(memory, base, new Random(seed))).as("seed %d", seed).isEqualTo(expected);
      assertThat(memory.openFiles()).as("seed %d", seed).isZero();
      long total = memory.files().values().stream().mapToLong(content -> content.length).sum();
      assertThat(memory.usedBytes()).as("seed %d", seed).isEqualTo(total);
    }
  }

  private static List<String> use(LogFileSystem files, Path base, Random random)
      throws IOException {
    files.createDirectories(base);
    List<String> answers = new ArrayList<>();
    List<LogFile> open = new ArrayList<>();
    for (int step = 0; step < 400; step++) {
      Path path = base.resolve(random.nextBoolean() ? "a" : "b/c").resolve("f" + random.nextInt(4));
      Path other = path.resolveSibling("f" + random.nextInt(4));
      int choice = random.nextInt(11);
      int number = random.nextInt(300);
      LogFile file = open.isEmpty() ? null : open.get(number % open.size());
      try {
        answers.add(choice + " " + act(files, choice, number, path, other, file, open));
      } catch (IOException e) {
        answers.add(choice + " " + e.getClass().getSimpleName());
      }
    }
    for (LogFile file : open) {
      file.close();
    }
    return answers;
  }

  private static Object act(
      LogFileSystem files,
      int choice,
      int number,
      Path path,
      Path other,
      @org.jspecify.annotations.Nullable LogFile file,
      List<LogFile> open)
      throws IOException {
    switch (choice) {
      case 0, 1 -> open.add(files.open(path, OpenMode.READ_WRITE));
      case 2 -> open.add(files.open(path, OpenMode.CREATE_NEW));
      case 3 -> files.open(path, OpenMode.READ).close();
      case 4 -> files.createDirectories(java.util.Objects.requireNonNull(path.getParent()));
      case 5 -> files.rename(path, other);
      case 6 -> {
        return files.deleteIfExists(path);
      }
      case 7 -> {
        return new TreeMap<>(
            files.list(java.util.Objects.requireNonNull(path.getParent())).stream()
                .collect(java.util.stream.Collectors.toMap(p -> p, files::isDirectory)));
      }
      case 8 -> {
        if (file != null) {
          ByteBuffer[] two = {
            ByteBuffer.wrap(new byte[] {(byte) number, 1, 2}), ByteBuffer.wrap(new byte[number])
          };
          return file.writeFully(two, 2, number) + " " + file.size();
        }
      }
      case 9 -> {
        if (file != null) {
          file.truncate(number);
          return file.size();
        }
      }
      default -> {
        if (file != null) {
          ByteBuffer content = ByteBuffer.allocate(1000);
          int count = file.read(content, number);
          return count + " " + java.util.Arrays.hashCode(content.array());
        }
      }
    }
    return files.exists(path) + " " + files.isDirectory(path);
  }

  @Test
  void anOpenFileOutlivesItsName() throws IOException {
    try (LogFile file = create()) {
      file.writeFully(bytes(1, 2, 3), 0);
      assertThat(disk.deleteIfExists(FILE)).isTrue();
      assertThat(disk.usedBytes()).isEqualTo(3);
      ByteBuffer read = ByteBuffer.allocate(3);
      file.readFully(read, 0);
      assertThat(read.array()).containsExactly(1, 2, 3);
    }
    assertThat(disk.usedBytes()).isZero();
  }

  @Test
  void aFullDiskWritesWhatFitsAndGoesOnWhenThereIsRoom() throws IOException {
    disk.capacityBytes(4);
    try (LogFile file = create()) {
      assertThat(file.write(new ByteBuffer[] {bytes(1, 2, 3)}, 1, 0)).isEqualTo(3);
      assertThat(file.write(new ByteBuffer[] {bytes(4, 5, 6)}, 1, 3)).isEqualTo(1);
      assertThatThrownBy(() -> file.writeFully(bytes(7), 4))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("No space left on device")
          .hasMessageContaining(FILE.toString());
      file.writeFully(bytes(9), 0);
      file.truncate(2);
      file.writeFully(bytes(8, 8), 2);
      assertThat(disk.bytes(FILE)).containsExactly(9, 2, 8, 8);
      disk.capacityBytes(5);
      file.writeFully(bytes(5), 4);
    }
    disk.deleteIfExists(FILE);
    assertThat(disk.usedBytes()).isZero();
  }

  @Test
  void failsWhatARuleAsksForAndNothingElse() throws IOException {
    try (LogFile file = create()) {
      disk.faults().failNth(operation -> operation.kind() == Kind.WRITE, 2);
      file.writeFully(bytes(1), 0);
      assertThatThrownBy(() -> file.writeFully(bytes(2), 1))
          .hasMessageContaining("Input/output error: WRITE /data/file at 1, 1 bytes");
      file.writeFully(bytes(3), 1);
      assertThat(disk.bytes(FILE)).containsExactly(1, 3);

      disk.faults().failWritesAfter(operation -> operation.isOn("file"), 2);
      assertThatThrownBy(() -> file.writeFully(bytes(4, 5, 6), 2)).isInstanceOf(IOException.class);
      assertThat(disk.bytes(FILE)).containsExactly(1, 3, 4, 5);

      disk.faults().clear();
      disk.faults()
          .throwing(operation -> operation.kind() == Kind.RENAME, it -> new AssertionError("mine"));
      assertThatThrownBy(() -> disk.rename(FILE, FOLDER.resolve("other")))
          .isInstanceOf(AssertionError.class)
          .hasMessage("mine");
      assertThat(disk.exists(FILE)).isTrue();
    }
  }

  @Test
  void shortTransfersMoveAtLeastOneByte() throws IOException {
    disk.faults().shortTransfers(7);
    try (LogFile file = create()) {
      ByteBuffer[] two = {bytes(1, 2, 3, 4, 5), bytes(6, 7, 8, 9)};
      int writes = 0;
      long done = 0;
      while (done < 9) {
        long count = file.write(two, 2, done);
        assertThat(count).isPositive();
        done += count;
        writes++;
      }
      assertThat(writes).isGreaterThan(1);
      ByteBuffer read = ByteBuffer.allocate(9);
      int first = file.read(read, 0);
      assertThat(first).isBetween(1, 9);
      file.readFully(read, first);
      assertThat(read.array()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
      assertThatThrownBy(() -> file.readFully(ByteBuffer.allocate(1), 9))
          .isInstanceOf(EOFException.class);
    }
  }

  @Test
  void aForceWaitsBeforeAGateAndNothingElseDoes() throws Exception {
    try (LogFile file = create()) {
      file.writeFully(bytes(1), 0);
      FileGate gate = disk.faults().hold(operation -> operation.kind() == Kind.FORCE);
      CompletableFuture<Void> force =
          CompletableFuture.runAsync(
              () -> {
                try {
                  file.force();
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      assertThat(gate.awaitArrival(Duration.ofSeconds(30))).isTrue();
      file.writeFully(bytes(2), 1);
      assertThat(force).isNotDone();
      gate.open();
      force.get(30, java.util.concurrent.TimeUnit.SECONDS);
    }
  }

  @Test
  void countsWhatIsReadAndWritten() throws IOException {
    try (LogFile file = create()) {
      file.writeFully(bytes(1, 2, 3), 0);
      file.read(ByteBuffer.allocate(2), 0);
      file.read(ByteBuffer.allocate(2), 2);
      file.read(ByteBuffer.allocate(2), 3);
    }
    assertThat(disk.counts().operations(Kind.READ, FILE::equals)).isEqualTo(3);
    assertThat(disk.counts().bytes(Kind.READ, FILE::equals)).isEqualTo(3);
    assertThat(disk.counts().bytes(Kind.WRITE, path -> true)).isEqualTo(3);
    disk.counts().reset();
    assertThat(disk.counts().operations(Kind.READ, path -> true)).isZero();
  }

  @Test
  void aFlippedBitIsSeenAndSurvives() throws IOException {
    try (LogFile file = create()) {
      file.writeFully(bytes(0, 0), 0);
      disk.flipBit(FILE, 1, 3);
      assertThat(disk.bytes(FILE)).containsExactly(0, 8);
      assertThat(disk.kill().bytes(FILE)).containsExactly(0, 8);
    }
  }

  @Test
  void aLockIsExclusiveAndEndsWithThePower() throws Exception {
    disk.createDirectories(FOLDER);
    LogFileSystem.HeldLock lock = disk.lock(FILE, "first");
    assertThatThrownBy(() -> disk.lock(FILE, "second"))
        .isInstanceOf(FileLockedException.class)
        .hasMessageContaining("first");
    lock.close();
    disk.lock(FILE, "third");
    disk.kill().lock(FILE, "fourth").close();
  }

  @Test
  void refusesAsTheMachineDoes() throws IOException {
    assertThatThrownBy(() -> disk.open(FILE, OpenMode.READ_WRITE))
        .isInstanceOf(NoSuchFileException.class);
    LogFile file = create();
    assertThatThrownBy(() -> disk.deleteIfExists(FOLDER))
        .isInstanceOf(DirectoryNotEmptyException.class);
    assertThatThrownBy(() -> disk.createDirectories(FILE.resolve("below")))
        .isInstanceOf(FileAlreadyExistsException.class);
    file.close();
    file.close();
    assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0))
        .isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void aChannelSendsAndRefusesTheRest() throws IOException {
    try (LogFile file = create()) {
      file.writeFully(bytes(1, 2, 3, 4), 0);
      ByteArrayOutputStream sent = new ByteArrayOutputStream();
      assertThat(file.channel().transferTo(1, 2, Channels.newChannel(sent))).isEqualTo(2);
      assertThat(sent.toByteArray()).containsExactly(2, 3);
      assertThatThrownBy(() -> file.channel().write(bytes(1)))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("transferTo only");
    }
  }
}
