package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.FlushTarget.Demand;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that refuses. */
class WriteFailureTest {

  private static final long T = TestFolder.NOW_MS;

  @TempDir Path temporary;

  private final FaultyFileSystem files = new FaultyFileSystem();

  private TestFolder open(LogConfig config) throws StorageException {
    return TestFolder.open(temporary.resolve("data"), config, files);
  }

  private static ByteBuffer batch(int sequence) {
    return new RecordBatchBuilder()
        .producer(7, (short) 0, sequence)
        .append(T, null, TestLog.bytes("value"))
        .build();
  }

  @Test
  void aFailedWriteLeavesTheLogAsBefore_andWritingGoesOnWhenThereIsRoom() throws IOException {
    try (TestFolder folder = open(LogConfig.defaults())) {
      TestLog log = folder.log();
      log.append(batch(0));
      byte[] before = log.readAll(0);
      for (int written : new int[] {0, 1, 30, 1_000}) {
        files.refuseWrites(file -> file.toString().endsWith(".log"), written);
        log.writer()
            .stage(TestLog.validated(batch(1)), AppendOrigin.CLIENT, 0, folder.clock().millis());
        log.writer()
            .stage(TestLog.validated(batch(2)), AppendOrigin.CLIENT, 0, folder.clock().millis());
        assertThatThrownBy(() -> log.writer().commit())
            .isInstanceOf(StorageException.class)
            .hasMessageContaining("00000000000000000000.log at position " + before.length)
            .hasMessageContaining("No space left on device");

        assertThat(log.reader().logEndOffset()).isEqualTo(1);
        assertThat(folder.logFiles(".log").get(0).toFile()).hasSize(before.length);
        assertThat(log.readAll(0)).isEqualTo(before);
        files.allowAll();
        folder.clock().advance(1_000);
      }
      assertThat(log.append(batch(1)))
          .as("the producer's state was not moved by the failures")
          .isEqualTo(new AppendResult.Appended(1, 1, -1, 0));
      assertThat(log.append(batch(1))).isInstanceOf(AppendResult.Duplicate.class);
    }
  }

  @Test
  void whereTheHalfWriteCantBeCutOffTheNextAttemptBeginsWithIt() throws IOException {
    TestFolder folder = open(LogConfig.defaults());
    TestLog log = folder.log();
    log.append(T);
    files.refuseWrites(file -> file.toString().endsWith(".log"), 20);
    files.refuseTruncation(file -> file.toString().endsWith(".log"));
    assertThatThrownBy(() -> log.append(T + 1)).isInstanceOf(StorageException.class);
    long size = folder.logFiles(".log").get(0).toFile().length();

    assertThat(log.append(T + 2)).as("not yet").isInstanceOf(AppendResult.Failed.class);
    folder.clock().advance(1_000);
    assertThat(log.append(T + 2)).as("still not").isInstanceOf(AppendResult.Failed.class);
    assertThat(log.baseOffsets(0, 1_000, 1)).as("reads go on").containsExactly(0L);
    assertThat(folder.logFiles(".log").get(0).toFile()).hasSize(size);
    files.allowAll();
    assertThat(log.append(T + 2))
        .as("one attempt a second")
        .isInstanceOf(AppendResult.Failed.class);
    assertThat(log.reader().isWritable()).isFalse();
    folder.clock().advance(1_000);

    assertThat(log.append(T + 3)).isEqualTo(new AppendResult.Appended(1, 1, -1, 0));
    assertThat(log.reader().isWritable()).isTrue();
    folder.close();
    folder.start();
    assertThat(folder.log().baseOffsets(0, 1_000, 2)).containsExactly(0L, 1L);
    folder.close();
  }

  @Test
  void anIndexThatCantBeWrittenCostsNoData() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().index(1 << 20, 0).build();
    TestFolder folder = open(config);
    TestLog log = folder.log();
    files.refuseWrites(file -> file.toString().endsWith("index"), 3);
    for (int i = 0; i < 1_100; i++) {
      assertThat(log.append(T + i)).isInstanceOf(AppendResult.Appended.class);
    }
    assertThat(log.baseOffsets(1_000, 1, 1_100)).containsExactly(1_000L);
    files.allowAll();
    log.append(T + 1_100);
    folder.reopen();
    for (long offset = 0; offset <= 1_100; offset += 50) {
      assertThat(folder.log().baseOffsets(offset, 1, 1_101)).containsExactly(offset);
      assertThat(folder.log().reader().findByTimestamp(T + offset, 1_101))
          .map(TimestampedOffset::offset)
          .contains(offset);
    }
    folder.close();
  }

  @Test
  void afterAFailedForceTheRecoveryPointStays_andNothingMoreIsWritten() throws IOException {
    TestFolder folder = open(LogConfig.defaults());
    TestLog log = folder.log();
    log.append(T);
    files.refuseForce(file -> file.toString().endsWith(".log"));
    assertThatThrownBy(() -> log.writer().flush()).isInstanceOf(StorageException.class);
    files.allowAll();

    assertThatThrownBy(() -> log.writer().flush())
        .as("a force that succeeds later says nothing about the first")
        .isInstanceOf(StorageException.class);
    assertThat(log.append(T + 1)).isInstanceOf(AppendResult.Failed.class);
    assertThat(log.baseOffsets(0, 1_000, 1)).containsExactly(0L);
    assertThatThrownBy(folder::stop).isInstanceOf(StorageException.class);
    assertThat(temporary.resolve("data/.kafka_cleanshutdown")).doesNotExist();
    assertThat(temporary.resolve("data/recovery-point-offset-checkpoint"))
        .content()
        .contains("orders 0 0");
    folder.start();
    assertThat(folder.log().append(T + 2)).isEqualTo(new AppendResult.Appended(1, 1, -1, 0));
    folder.close();
  }

  @Test
  void flushPolicyByMessages() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().flush(3, Long.MAX_VALUE).build();
    try (TestFolder folder = open(config)) {
      TestLog log = folder.log();
      FlushTarget flushes = log.writer().flushTarget();
      log.append(T);
      log.append(T);
      assertThat(flushes.demand(T)).isEqualTo(Demand.NONE);
      assertThat(flushes.settledOffset()).as("two may wait").isEqualTo(2);
      log.append(T);
      assertThat(flushes.demand(T)).isEqualTo(Demand.ALL);
      assertThat(flushes.settledOffset()).isEqualTo(2);

      flushes.flush(Demand.ALL);

      assertThat(flushes.demand(T)).isEqualTo(Demand.NONE);
      assertThat(flushes.settledOffset()).isEqualTo(3);
      log.append(T);
      log.append(T);
      log.append(T);
      log.append(T);
      assertThat(flushes.settledOffset()).as("two above the disk").isEqualTo(5);
    }
  }

  @Test
  void flushPolicyByTime() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().flush(Long.MAX_VALUE, 1_000).build();
    try (TestFolder folder = open(config)) {
      TestLog log = folder.log();
      FlushTarget flushes = log.writer().flushTarget();
      log.append(T, T);
      log.writer().flushIfDue(T + 999);
      assertThat(flushes.demand(T + 999)).isEqualTo(Demand.NONE);
      log.writer().flushIfDue(T + 1_000);
      assertThat(flushes.demand(T)).isEqualTo(Demand.ALL);
      assertThat(flushes.settledOffset()).as("nobody waits for it").isEqualTo(2);
      folder.clock().advance(1_000);

      flushes.flush(Demand.ALL);

      assertThat(flushes.demand(T + 1_999)).isEqualTo(Demand.NONE);
      folder.directory().writeCheckpoints();
      assertThat(temporary.resolve("data/recovery-point-offset-checkpoint"))
          .content()
          .contains("orders 0 1");
    }
  }
}
