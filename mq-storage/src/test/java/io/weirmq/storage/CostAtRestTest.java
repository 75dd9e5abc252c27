package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weirmq.storage.fixture.CountingFileSystem;
import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.ManualClock;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What creating, starting and resting costs, counted at the file system. */
class CostAtRestTest {

  private static final long T = TestFolder.NOW_MS;

  /** Five batches fill a segment. */
  private static final int BATCHES_PER_SEGMENT = 5;

  private static final int VALUE_BYTES = 120;

  private static final LogConfig CONFIG =
      LogConfig.defaults().toBuilder().segmentBytes(1_000).index(10_000, 150).build();

  @TempDir Path temporary;

  private final CountingFileSystem files = new CountingFileSystem(new FaultyFileSystem());

  private TestFolder open() throws StorageException {
    return TestFolder.open(temporary.resolve("data"), CONFIG, files);
  }

  private static void fill(TestLog log, int segments) throws StorageException {
    for (int i = 0; i < segments * BATCHES_PER_SEGMENT; i++) {
      log.appendSized(T + i, VALUE_BYTES);
    }
    assertThat(log.reader().segmentCount()).isEqualTo(segments);
  }

  private static boolean isData(String name) {
    return name.endsWith(".log") || name.endsWith("index");
  }

  @Test
  @DisplayName("OP-07 a partition is made without a force, and is one file until it is written to")
  void op07_creationIsCheap() throws IOException {
    int count = 50;
    Path data = temporary.resolve("data");
    try (LogDirectory directory = openDirectory(data)) {
      files.reset();
      for (int i = 0; i < count; i++) {
        directory.create(new TopicPartition("many", i), new UUID(3, 4), CONFIG);
      }
      assertThat(files.forces(name -> true)).isZero();
      assertThat(files.opens(name -> true)).isEqualTo(count);
      assertThat(files.lists(name -> true)).isZero();
      assertThat(files.openNow()).as("but for the lock, which is not counted").isEmpty();
      files.reset();
    }
    assertThat(files.forces(name -> !name.equals("data") && !name.endsWith(".tmp")))
        .as("forces at the stop, below the data folder")
        .isZero();
    for (int i = 0; i < count; i++) {
      assertThat(names(data.resolve("many-" + i))).containsExactly("partition.metadata");
    }

    files.reset();
    try (LogDirectory directory = openDirectory(data)) {
      assertThat(directory.logs()).hasSize(count);
      assertThat(directory.log(new TopicPartition("many", 7)).orElseThrow().topicId())
          .isEqualTo(new UUID(3, 4));
      assertThat(files.opens(name -> name.equals("partition.metadata"))).isEqualTo(count);
      assertThat(files.opens(CostAtRestTest::isData)).isZero();
      assertThat(files.lists(name -> name.startsWith("many-"))).isEqualTo(count);
    }
  }

  private LogDirectory openDirectory(Path data) throws StorageException {
    return LogDirectories.open(
        data, LogDirectoryOptions.of(1, "cluster"), files, new ManualClock(T));
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> list = Files.list(folder)) {
      return list.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  @DisplayName("OP-07 the first flush forces folder, topic id, epochs and names before it counts")
  void op07_firstFlushForcesTheBirth() throws IOException {
    try (TestFolder folder = open()) {
      files.reset();
      folder.log().leaderEpoch(4).append(T);
      assertThat(files.forces(name -> true)).isZero();

      folder.log().writer().flush();
      for (String name :
          List.of(
              "00000000000000000000.log",
              "partition.metadata",
              "leader-epoch-checkpoint.tmp",
              TestFolder.PARTITION.toString(),
              "data")) {
        assertThat(files.forces(name::equals)).as(name).isPositive();
      }

      folder.log().append(T + 1);
      files.reset();
      folder.log().writer().flush();
      assertThat(files.forces(name -> !isData(name))).as("the second time").isZero();
    }
  }

  @Test
  @DisplayName("OP-07 what a power cut leaves of a folder is no obstacle to making the log again")
  void op07_halfMadeFolder() throws IOException {
    Path data = temporary.resolve("data");
    try (LogDirectory directory = openDirectory(data)) {
      Path left = Files.createDirectories(data.resolve("orders-0"));
      Files.write(left.resolve("partition.metadata.tmp"), new byte[0]);

      directory.create(TestFolder.PARTITION, TestFolder.TOPIC_ID, CONFIG);
    }
    try (LogDirectory directory = openDirectory(data)) {
      assertThat(directory.log(TestFolder.PARTITION).orElseThrow().topicId())
          .isEqualTo(TestFolder.TOPIC_ID);
    }
  }

  @Test
  @DisplayName("after a clean stop a start opens the topic id and the leader epochs, nothing else")
  void cleanStart_readsNamesAndSizes() throws IOException {
    TestFolder folder = open();
    fill(folder.log(), 10);
    folder.stop();

    files.reset();
    folder.start();
    assertThat(folder.log().reader().logEndOffset()).isEqualTo(10 * BATCHES_PER_SEGMENT);
    assertThat(folder.log().reader().segmentCount()).isEqualTo(10);
    assertThat(files.opens(CostAtRestTest::isData)).isZero();
    assertThat(files.opens(name -> name.endsWith(".snapshot"))).isZero();
    assertThat(files.opens(name -> name.equals("partition.metadata"))).isEqualTo(1);
    assertThat(files.opens(name -> name.equals("leader-epoch-checkpoint"))).isEqualTo(1);
    assertThat(files.openNow()).isEmpty();

    folder.stop();
    assertThat(files.opens(CostAtRestTest::isData)).as("and the next stop opens none").isZero();
  }

  @Test
  @DisplayName("after a clean stop the producers are read from one snapshot, without data")
  void cleanStart_readsOneSnapshot() throws IOException {
    TestFolder folder = open();
    for (int i = 0; i < 30; i++) {
      folder.log().append(idempotent(i));
    }
    assertThat(folder.log().reader().segmentCount()).isGreaterThan(3);
    folder.stop();

    files.reset();
    folder.start();
    assertThat(files.opens(name -> name.endsWith(".snapshot"))).isEqualTo(1);
    assertThat(files.opens(CostAtRestTest::isData)).isZero();
    assertThat(folder.log().append(idempotent(29)))
        .isEqualTo(new AppendResult.Duplicate(29, 29, -1, 0));
    folder.close();
  }

  private static ByteBuffer idempotent(int sequence) {
    return new RecordBatchBuilder()
        .producer(77, (short) 0, sequence)
        .append(T + sequence, null, ByteBuffer.wrap(new byte[VALUE_BYTES]))
        .build();
  }

  @Test
  @DisplayName("a kill after a clean stop and nothing since costs a few batches, no segment")
  void uncleanStart_emptyTail() throws IOException {
    LogConfig large = LogConfig.defaults().toBuilder().segmentBytes(1_000_000).build();
    TestFolder folder = TestFolder.open(temporary.resolve("data"), large, files);
    int batches = 58;
    for (int i = 0; i < batches; i++) {
      folder.log().appendSized(T + i, 100_000);
    }
    folder.log().writer().flush();
    folder.directory().writeCheckpoints();
    assertThat(Files.size(last(folder.logFiles(".log")))).isGreaterThan(300_000);
    folder.reopen();

    files.reset();
    try (TestFolder killed = folder.killedCopy(temporary.resolve("killed"))) {
      assertThat(killed.log().reader().logEndOffset()).isEqualTo(batches);
      assertThat(files.opens(name -> name.endsWith(".log"))).isEqualTo(1);
      assertThat(files.readBytes(name -> name.endsWith(".log"))).isLessThan(100_000);

      assertThat(killed.log().append(T))
          .isEqualTo(new AppendResult.Appended(batches, batches, -1, 0));
    }
    folder.close();
  }

  @Test
  @DisplayName("ST-08 a damaged index of the oldest of 50 segments costs a start nothing")
  void st08_oneBadIndex() throws IOException {
    TestFolder folder = open();
    fill(folder.log(), 48);
    folder.log().writer().flush();
    folder.directory().writeCheckpoints();
    long recoveryPoint = folder.log().reader().logEndOffset();
    for (int i = 0; i < 2 * BATCHES_PER_SEGMENT; i++) {
      folder.log().appendSized(T, VALUE_BYTES);
    }
    assertThat(folder.log().reader().segmentCount()).isEqualTo(50);
    List<Path> logs = folder.logFiles(".log");
    // The recovery point lies in the 48th segment, one below its end.
    long tailBytes = sizes(logs.subList(47, 50));
    long damagedBytes = Files.size(logs.get(0));
    Set<String> snapshots = fileNames(folder.logFiles(".snapshot"));

    Path target = temporary.resolve("killed");
    TestFolder.copy(folder.path(), target);
    Path killedLog = target.resolve(TestFolder.PARTITION.toString());
    Files.write(killedLog.resolve("00000000000000000000.index"), new byte[] {1, 2, 3});

    files.reset();
    try (TestFolder killed = TestFolder.open(target, CONFIG, files)) {
      assertThat(killed.log().reader().logEndOffset())
          .isEqualTo(recoveryPoint + 2 * BATCHES_PER_SEGMENT);
      // Each byte of the tail: its headers and its checksums are read, then for new indexes.
      assertThat(files.readBytes(name -> name.endsWith(".log")))
          .as("bytes read of %d in all", sizes(logs))
          .isBetween(1L, 3 * tailBytes);
      assertThat(files.opens(name -> name.startsWith("00000000000000000000."))).isZero();
      assertThat(fileNames(killed.logFiles(".snapshot"))).containsAll(snapshots);

      files.reset();
      assertThat(killed.log().baseOffsets(2, 1, recoveryPoint)).containsExactly(2L);
      assertThat(files.readBytes(name -> name.equals("00000000000000000000.log")))
          .as("the index is made anew when it is first used")
          .isBetween(1L, 3 * damagedBytes);
    }
    folder.close();
  }

  @Test
  @DisplayName(
      "OP-07 logs at rest have no open file, no mapped region and no thread in the process")
  void op07_restingLogsInTheProcess() throws IOException {
    assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "Linux tells what a process holds");
    Path data = temporary.resolve("data");
    try (LogDirectory directory = openDirectory(data)) {
      for (int i = 0; i < 100; i++) {
        TestLog log =
            TestLog.of(directory.create(new TopicPartition("rest", i), new UUID(3, 4), CONFIG));
        fill(log, 3);
      }
    }
    int threads = Thread.activeCount();

    try (LogDirectory directory = openDirectory(data)) {
      assertThat(directory.logs()).hasSize(100).allMatch(log -> log.segmentCount() == 3);
      assertThat(files.openNow()).isEmpty();
      for (String held : List.of("/proc/self/maps", "/proc/self/smaps")) {
        assertThat(Files.readString(Path.of(held))).doesNotContain(data.toString());
      }
      assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads);

      // Reading wakes one log; the others stay at rest.
      PartitionLog one = directory.log(new TopicPartition("rest", 7)).orElseThrow();
      one.read(3, 100, one.logEndOffset(), true).release();
      assertThat(files.openNow()).hasSizeBetween(1, 3);
    }
    assertThat(files.openNow()).isEmpty();
  }

  private static Path last(List<Path> list) {
    return list.get(list.size() - 1);
  }

  private static long sizes(List<Path> list) throws IOException {
    long sum = 0;
    for (Path file : list) {
      sum += Files.size(file);
    }
    return sum;
  }

  private static Set<String> fileNames(List<Path> list) {
    return list.stream().map(file -> file.getFileName().toString()).collect(Collectors.toSet());
  }
}
