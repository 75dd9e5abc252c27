package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.fixture.ManualClock;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The data folder: lock, identity, creating and deleting logs. */
class DataFolderTest {

  private static final long T = TestFolder.NOW_MS;
  private static final TopicPartition OTHER = new TopicPartition("other-topic", 3);

  @TempDir Path temporary;

  private final ManualClock clock = new ManualClock(T);

  private LogDirectory open(int nodeId, String clusterId) throws StorageException {
    return LogDirectories.open(
        temporary.resolve("data"),
        LogDirectoryOptions.of(nodeId, clusterId),
        new NioLogFileSystem(),
        clock);
  }

  @Test
  @DisplayName("OP-06 a second opener in this process is refused, and the lock survives that")
  void op06_secondOpenerInTheSameProcess() throws Exception {
    try (LogDirectory first = open(1, "c")) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> open(1, "c"))
            .isInstanceOf(StorageException.class)
            .hasMessageContaining(first.path() + " is in use by this process")
            .hasMessageContaining("pid " + ProcessHandle.current().pid() + " on host ");
      }
      assertThat(tryLockInAnotherProcess(temporary.resolve("data/.lock")))
          .as("refusing the second opener must not have dropped the lock")
          .isEqualTo("refused");
    }
    assertThat(tryLockInAnotherProcess(temporary.resolve("data/.lock"))).isEqualTo("locked");
    open(1, "c").close();
  }

  @Test
  @DisplayName("OP-06 another process is refused with pid and host; a stale lock is no obstacle")
  void op06_secondProcess() throws Exception {
    Path data = temporary.resolve("data");
    Process holder = start(Opener.class, data.toString());
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8))) {
      assertThat(output.readLine()).isEqualTo("open");
      assertThatThrownBy(() -> open(1, "c"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("is in use by pid " + holder.pid() + " on host ");
    } finally {
      holder.destroyForcibly().waitFor();
    }
    assertThat(data.resolve(".lock")).exists();

    open(1, "c").close();
    try (Stream<Path> left = Files.list(data)) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .as("markers of killed processes are removed")
          .filteredOn(name -> name.startsWith(".lock"))
          .containsExactly(".lock");
    }
  }

  private static Process start(Class<?> main, String argument) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            argument)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static String tryLockInAnotherProcess(Path file) throws Exception {
    Process process = start(Locker.class, file.toString());
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String answer = output.readLine();
      process.waitFor();
      return answer;
    }
  }

  /** Opens a data folder and waits to be killed. */
  static final class Opener {
    public static void main(String[] arguments) throws IOException {
      LogDirectories.open(
          Path.of(arguments[0]),
          LogDirectoryOptions.of(1, "c"),
          new NioLogFileSystem(),
          new ManualClock(T));
      System.out.println("open");
      System.out.flush();
      int end = System.in.read();
      System.out.println("ended by " + end);
    }
  }

  /** Tries to lock a file. */
  static final class Locker {
    public static void main(String[] arguments) throws IOException {
      try (FileChannel channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE);
          FileLock lock = channel.tryLock()) {
        System.out.println(lock == null ? "refused" : "locked");
      }
    }
  }

  @Test
  void refusesAFolderOfAnotherBrokerOrCluster() throws IOException {
    UUID directoryId;
    try (LogDirectory first = open(1, "cluster-a")) {
      directoryId = first.directoryId();
    }
    assertThatThrownBy(() -> open(2, "cluster-a"))
        .hasMessageContaining("belongs to broker id 1; expected 2");
    assertThatThrownBy(() -> open(1, "cluster-b"))
        .hasMessageContaining("belongs to cluster id cluster-a; expected cluster-b");
    try (LogDirectory again = open(1, "cluster-a")) {
      assertThat(again.directoryId()).isEqualTo(directoryId);
    }
    assertThat(Files.readAllLines(temporary.resolve("data/meta.properties")))
        .contains("version=1", "node.id=1", "cluster.id=cluster-a");
  }

  @Test
  void findsItsLogsAgain_andLeavesForeignFoldersAlone() throws IOException {
    UUID id = UUID.randomUUID();
    try (LogDirectory directory = open(1, "c")) {
      directory.create(OTHER, id, LogConfig.defaults());
      assertThatThrownBy(() -> directory.create(OTHER, id, LogConfig.defaults()))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("other-topic-3 exists");
    }
    Path data = temporary.resolve("data");
    Files.createDirectories(data.resolve("lost+found"));
    Files.createDirectories(data.resolve("backup-2024"));
    Files.writeString(data.resolve("backup-2024/notes.txt"), "mine");
    Files.writeString(data.resolve("README"), "mine");
    try (LogDirectory directory = open(1, "c")) {
      assertThat(directory.logs()).hasSize(1);
      assertThat(directory.log(OTHER).orElseThrow().topicId()).isEqualTo(id);
      assertThat(directory.log(new TopicPartition("backup", 2024))).isEmpty();
      assertThat(directory.log(new TopicPartition("other", 3))).isEmpty();
    }
    assertThat(data.resolve("backup-2024/notes.txt")).hasContent("mine");
    assertThat(data.resolve("lost+found")).isDirectory();
  }

  @Test
  void aLogThatIsSetAsideKeepsItsFilesUnderANameThatIsNoLogs() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults())) {
      LogDirectory directory = folder.directory();
      folder.log().append(T, T);
      folder.log().writer().flush();
      byte[] batches =
          Files.readAllBytes(folder.path().resolve("orders-0/00000000000000000000.log"));

      Path aside = directory.setAside(TestFolder.PARTITION);
      directory.purgeDeleted(Long.MAX_VALUE);

      assertThat(aside.getFileName().toString()).matches("orders-0\\.[0-9a-f]{32}-stray");
      assertThat(aside.resolve("00000000000000000000.log")).hasBinaryContent(batches);
      assertThat(directory.logs()).isEmpty();
      PartitionLog fresh =
          directory.create(TestFolder.PARTITION, UUID.randomUUID(), LogConfig.defaults());
      assertThat(fresh.logEndOffset()).isZero();
    }
  }

  @Test
  @DisplayName("OP-08 deleted and made again under the same name: the new log is a new one")
  void op08_deletedAndMadeAgain() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults())) {
      LogDirectory directory = folder.directory();
      folder.log().append(T, T, T, T, T);
      folder.log().writer().deleteRecordsBefore(4);
      directory.writeCheckpoints();
      LogSlice held = folder.log().reader().read(4, 1_000, 5, true);
      UUID second = UUID.randomUUID();

      directory.delete(TestFolder.PARTITION);
      PartitionLog fresh = directory.create(TestFolder.PARTITION, second, LogConfig.defaults());

      assertThat(fresh.topicId()).isEqualTo(second);
      assertThat(fresh.logStartOffset()).isZero();
      assertThat(fresh.logEndOffset()).isZero();
      java.nio.ByteBuffer bytes = java.nio.ByteBuffer.allocate(held.lengthBytes());
      held.readFully(bytes);
      assertThat(bytes.remaining()).isZero();
      held.release();
      assertThatThrownBy(() -> folder.log().reader().read(4, 1_000, 5, true))
          .isInstanceOf(StorageException.class);

      directory.purgeDeleted(folder.clock().millis() + 60_000);
      assertThat(folders(folder.path())).containsExactly("orders-0");
      TestFolder.copy(folder.path(), temporary.resolve("killed"));
    }
    try (TestFolder killed = TestFolder.open(temporary.resolve("killed"), LogConfig.defaults())) {
      assertThat(killed.log().reader().logStartOffset())
          .as("no line of the old log is taken for the new one's")
          .isZero();
      assertThat(killed.log().append(T)).isEqualTo(new AppendResult.Appended(0, 0, -1, 0));
    }
  }

  @Test
  void manyLogsAreLoadedBesideEachOther() throws IOException {
    Path killed = temporary.resolve("killed");
    try (LogDirectory directory = open(1, "c")) {
      for (int i = 0; i < 40; i++) {
        PartitionLog log =
            directory.create(
                new TopicPartition("many", i), new UUID(0, i + 1), LogConfig.defaults());
        var writer = ((io.weirmq.storage.internal.WritableLog) log).appendTarget();
        for (int batch = 0; batch < i; batch++) {
          writer.stage(
              TestLog.validated(
                  new io.weirmq.storage.record.RecordBatchBuilder()
                      .append(T, null, TestLog.bytes("x"))
                      .build()),
              AppendOrigin.CLIENT,
              0,
              T);
        }
        writer.commit();
      }
      TestFolder.copy(directory.path(), killed);
    }
    for (Path data : List.of(temporary.resolve("data"), killed)) {
      try (LogDirectory directory =
          LogDirectories.open(
              data, LogDirectoryOptions.of(1, "c"), new NioLogFileSystem(), clock)) {
        assertThat(directory.logs()).hasSize(40);
        for (PartitionLog log : directory.logs()) {
          assertThat(log.logEndOffset()).isEqualTo(log.topicPartition().partition());
          assertThat(log.topicId()).isEqualTo(new UUID(0, log.topicPartition().partition() + 1L));
        }
      }
    }
  }

  @Test
  void foldersToBeRemovedAreGoneAfterARestart() throws IOException {
    TopicPartition longName = new TopicPartition("t".repeat(249), 12_345);
    try (LogDirectory directory = open(1, "c")) {
      directory.create(longName, UUID.randomUUID(), LogConfig.defaults());
      directory.delete(longName);
      List<String> folders = folders(temporary.resolve("data"));
      assertThat(folders).hasSize(1);
      assertThat(folders.get(0)).hasSize(255).matches("t+-12345\\.[0-9a-f]{32}-delete");
    }
    open(1, "c").close();
    assertThat(folders(temporary.resolve("data"))).isEmpty();
  }

  @Test
  void aFolderThatACrashLeftEmptyIsFree() throws IOException {
    Files.createDirectories(temporary.resolve("data/other-topic-3"));
    try (LogDirectory directory = open(1, "c")) {
      assertThat(directory.logs()).isEmpty();
      directory.create(OTHER, UUID.randomUUID(), LogConfig.defaults());
    }
  }

  @Test
  void closingWritesTheMarker_openingTakesItAway_andIsIdempotent() throws IOException {
    Path marker = temporary.resolve("data/.kafka_cleanshutdown");
    LogDirectory directory = open(1, "c");
    assertThat(marker).doesNotExist();
    directory.close();
    directory.close();
    assertThat(marker).exists();
    LogDirectory again = open(1, "c");
    assertThat(marker).doesNotExist();
    again.close();
    assertThatThrownBy(() -> again.create(OTHER, UUID.randomUUID(), LogConfig.defaults()))
        .hasMessageContaining("is closed");
  }

  @Test
  void checkpointsHaveTheFormat() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults())) {
      folder.log().append(T, T, T);
      folder.log().writer().deleteRecordsBefore(1);
      folder.log().writer().flush();
      folder.directory().writeCheckpoints();
      assertThat(Files.readAllLines(folder.path().resolve("recovery-point-offset-checkpoint")))
          .as("in the active segment, whose indexes are not forced")
          .containsExactly("0", "1", "orders 0 2");
      assertThat(Files.readAllLines(folder.path().resolve("log-start-offset-checkpoint")))
          .containsExactly("0", "1", "orders 0 1");
      assertThat(Files.readAllLines(folder.path().resolve("replication-offset-checkpoint")))
          .containsExactly("0", "1", "orders 0 3");
      assertThat(Files.readAllLines(folder.logFolder().resolve("leader-epoch-checkpoint")))
          .containsExactly("0", "1", "0 1");
    }
  }

  private static List<String> folders(Path data) throws IOException {
    try (Stream<Path> list = Files.list(data)) {
      return list.filter(Files::isDirectory)
          .map(folder -> folder.getFileName().toString())
          .toList();
    }
  }

  @Test
  void swapAndCleanedFilesFollowTheRules() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().segmentBytes(300).build();
    TestFolder folder = TestFolder.open(temporary.resolve("data"), config);
    TestLog log = folder.log();
    for (int i = 0; i < 20; i++) {
      log.append(T + i);
    }
    folder.stop();
    List<Path> logs = folder.logFiles(".log");
    assertThat(logs).hasSizeGreaterThan(3);
    byte[] first = Files.readAllBytes(logs.get(0));
    byte[] second = Files.readAllBytes(logs.get(1));
    byte[] merged = java.util.Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, merged, first.length, second.length);
    Files.write(Path.of(logs.get(0) + ".swap"), merged);
    Files.write(Path.of(logs.get(2) + ".swap"), new byte[] {1, 2, 3});
    Files.write(Path.of(logs.get(2) + ".cleaned"), new byte[] {1, 2, 3});
    Files.write(folder.logFolder().resolve("00000000000000099999.index"), new byte[8]);
    Files.write(folder.logFolder().resolve("00000000000000000000.log.deleted"), new byte[8]);

    folder.start();

    assertThat(folder.log().reader().segmentCount()).isEqualTo(logs.size() - 1);
    for (long offset = 0; offset < 20; offset++) {
      assertThat(folder.log().baseOffsets(offset, 1, 20)).containsExactly(offset);
    }
    assertThat(folder.logFiles("0.log")).hasSizeLessThan(logs.size());
    assertThat(folder.logFiles(".swap")).isEmpty();
    assertThat(folder.logFiles(".cleaned")).isEmpty();
    assertThat(folder.logFiles(".deleted")).isEmpty();
    assertThat(folder.logFiles("99999.index")).isEmpty();
    folder.close();
  }
}
