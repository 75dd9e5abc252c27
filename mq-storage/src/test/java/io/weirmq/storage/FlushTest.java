package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.ForceGate;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.FlushTarget.Demand;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a flush forces, and what a roll leaves to it. */
class FlushTest {

  private static final long T = TestFolder.NOW_MS;
  private static final LogConfig EACH =
      LogConfig.defaults().toBuilder().flush(1, Long.MAX_VALUE).build();

  @TempDir Path temporary;

  private final FaultyFileSystem files = new FaultyFileSystem();
  private final List<String> forced = new ArrayList<>();

  private TestFolder open(LogConfig config) throws StorageException {
    files.forceThrough(
        new ForceGate(
            path -> {
              forced.add(String.valueOf(path.getFileName()));
              return true;
            }));
    return TestFolder.open(temporary.resolve("data"), config, files);
  }

  private static ByteBuffer batch(int sequence) {
    return new RecordBatchBuilder()
        .producer(7, (short) 0, sequence)
        .append(T + sequence, null, TestLog.bytes("value"))
        .build();
  }

  @Test
  void aFlushOfNewBatchesIsOneForce() throws IOException {
    try (TestFolder folder = open(EACH)) {
      FlushTarget flushes = folder.log().writer().flushTarget();
      folder.log().append(T);
      flushes.flush(Demand.ALL);
      forced.clear();
      folder.log().append(T);
      flushes.flush(Demand.ALL);
      assertThat(forced).containsExactly("00000000000000000000.log");
    }
  }

  @Test
  @DisplayName("ST-09 a roll forces nothing, the flush behind it what the recovery point passes")
  void st09_rollForcesNothing() throws IOException {
    try (TestFolder folder = open(LogConfig.defaults())) {
      TestLog log = folder.log();
      log.append(batch(0));
      log.writer().flush();
      log.append(batch(1));
      forced.clear();

      log.writer().roll();
      assertThat(forced).isEmpty();
      assertThat(log.writer().flushTarget().demand(T)).isEqualTo(Demand.SEALED);

      log.writer().flushTarget().flush(Demand.SEALED);
      assertThat(forced)
          .containsExactlyInAnyOrder(
              "00000000000000000000.log",
              "00000000000000000000.index",
              "00000000000000000000.timeindex",
              "00000000000000000002.snapshot",
              "orders-0");
      assertThat(log.writer().flushTarget().demand(T)).isEqualTo(Demand.NONE);
      folder.directory().writeCheckpoints();
      assertThat(folder.path().resolve("recovery-point-offset-checkpoint"))
          .content()
          .contains("orders 0 2");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"torn", "empty", "missing"})
  @DisplayName("ST-09 a snapshot that a power cut tore is replaced by an older one and the log")
  void st09_tornSnapshotOfARoll(String state) throws IOException {
    try (TestFolder folder = open(LogConfig.defaults())) {
      TestLog log = folder.log();
      for (int i = 0; i < 9; i++) {
        log.append(batch(i));
        if (i % 3 == 2) {
          log.writer().roll();
        }
      }
      log.writer().flush();
      log.append(batch(9));
      folder.directory().writeCheckpoints();
      TestFolder.copy(folder.path(), temporary.resolve("killed"));
    }
    Path snapshot = temporary.resolve("killed/orders-0/00000000000000000009.snapshot");
    byte[] content = Files.readAllBytes(snapshot);
    if (state.equals("missing")) {
      Files.delete(snapshot);
    } else {
      int kept = state.equals("empty") ? 0 : content.length - 1;
      Files.write(snapshot, java.util.Arrays.copyOf(content, kept));
    }
    try (TestFolder killed =
        TestFolder.open(temporary.resolve("killed"), LogConfig.defaults(), files)) {
      assertThat(killed.log().reader().producers())
          .containsExactly(new ProducerSummary(7, (short) 0, 9, T + 9, -1, -1));
      assertThat(killed.log().append(batch(9))).isEqualTo(new AppendResult.Duplicate(9, 9, -1, 0));
      assertThat(killed.log().append(batch(11))).isInstanceOf(AppendResult.Rejected.class);
    }
  }

  @Test
  void whatIsFoundAtTheStartIsSettledWhereThePolicyAsksForIt() throws IOException {
    try (TestFolder folder = open(EACH)) {
      folder.log().append(T);
      folder.log().append(T);
      assertThat(folder.log().writer().settledOffset()).isZero();
      forced.clear();
      try (TestFolder killed = folder.killedCopy(temporary.resolve("killed"))) {
        assertThat(forced).contains("00000000000000000000.log");
        assertThat(killed.log().writer().settledOffset()).isEqualTo(2);
      }
    }
  }

  @Test
  @DisplayName("ST-10 a log whose tail can't be forced at the start is read, not written")
  void st10_failedForceAtTheStart() throws IOException {
    try (TestFolder folder = open(EACH)) {
      folder.log().append(T);
      folder.log().writer().flush();
      folder.log().append(T);
      folder.directory().writeCheckpoints();
      Path killed = temporary.resolve("killed");
      TestFolder.copy(folder.path(), killed);
      files.refuseForce(file -> file.startsWith(killed) && file.toString().endsWith(".log"));
      TestFolder reopened = TestFolder.open(killed, EACH, files);
      assertThat(reopened.log().reader().logEndOffset()).isEqualTo(2);
      assertThat(reopened.log().writer().settledOffset()).isLessThan(2);
      assertThat(reopened.log().baseOffsets(0, 1, 2)).containsExactly(0L);
      assertThat(reopened.log().append(T)).isInstanceOf(AppendResult.Failed.class);
      assertThatThrownBy(reopened::close).isInstanceOf(StorageException.class);
      files.allowAll();
    }
  }

  @Test
  void aCutMeanwhileDropsTheResultOfAFlush() throws Exception {
    ForceGate gate = new ForceGate(path -> path.toString().endsWith(".log"));
    try (TestFolder folder = open(EACH)) {
      TestLog log = folder.log();
      for (int i = 0; i < 5; i++) {
        log.append(T + i);
      }
      files.forceThrough(gate);
      gate.close();
      FlushTarget flushes = log.writer().flushTarget();
      Thread flush = new Thread(() -> flushQuietly(flushes), "flush");
      flush.start();
      gate.awaitOne();
      int generation = flushes.generation();

      log.writer().truncateTo(2);
      log.append(T + 100);
      gate.open();
      flush.join();

      assertThat(flushes.generation()).isNotEqualTo(generation);
      assertThat(flushes.settledOffset()).as("nothing counts").isZero();
      flushes.flush(Demand.ALL);
      assertThat(flushes.settledOffset()).isEqualTo(3);
    }
  }

  @Test
  void segmentsThatRetentionTakesAwayDontFailAFlush() throws Exception {
    ForceGate gate = new ForceGate(path -> path.toString().endsWith(".log"));
    try (TestFolder folder = open(LogConfig.defaults())) {
      TestLog log = folder.log();
      for (int i = 0; i < 3; i++) {
        log.append(T + i);
        log.writer().roll();
      }
      files.forceThrough(gate);
      gate.close();
      FlushTarget flushes = log.writer().flushTarget();
      Thread flush = new Thread(() -> flushQuietly(flushes), "flush");
      flush.start();
      gate.awaitOne();

      log.writer().deleteRecordsBefore(2);
      gate.open();
      flush.join();

      assertThat(log.append(T + 3)).isEqualTo(new AppendResult.Appended(3, 3, -1, 2));
      folder.directory().writeCheckpoints();
      assertThat(folder.path().resolve("recovery-point-offset-checkpoint"))
          .content()
          .contains("orders 0 3");
    }
  }

  private static void flushQuietly(FlushTarget flushes) {
    try {
      flushes.flush(Demand.ALL);
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }
}
