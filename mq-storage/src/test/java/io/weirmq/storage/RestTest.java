package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.CountingFileSystem;
import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.FlushTarget.Demand;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a log that gets no appends costs a start after a crash. */
class RestTest {

  private static final long T = TestFolder.NOW_MS;
  private static final long FIVE_MINUTES = 300_000;
  private static final int BATCHES = 8;
  private static final int VALUE_BYTES = 100_000;

  @TempDir Path temporary;

  private final CountingFileSystem files = new CountingFileSystem(new FaultyFileSystem());

  private TestFolder filled() throws StorageException {
    TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults(), files);
    for (int i = 0; i < BATCHES; i++) {
      folder.log().append(batch(i, VALUE_BYTES));
    }
    return folder;
  }

  private static ByteBuffer batch(int sequence, int valueBytes) {
    return new RecordBatchBuilder()
        .producer(77, (short) 0, sequence)
        .append(T + sequence, null, ByteBuffer.wrap(new byte[valueBytes]))
        .build();
  }

  /** What a start after a kill reads of the log file, in bytes. */
  private long bytesReadAfterKill(TestFolder folder, String name, int endOffset)
      throws IOException {
    folder.directory().writeCheckpoints();
    files.reset();
    try (TestFolder killed = folder.killedCopy(temporary.resolve(name))) {
      long bytes = files.readBytes(file -> file.endsWith(".log"));
      assertThat(killed.log().reader().logEndOffset()).isEqualTo(endOffset);
      assertThat(killed.log().reader().findMaxTimestamp().orElseThrow().offset())
          .isEqualTo(endOffset - 1);
      assertThat(killed.log().append(batch(endOffset - 1, 10)))
          .isInstanceOf(AppendResult.Duplicate.class);
      assertThat(killed.log().append(batch(endOffset, 10)))
          .isEqualTo(new AppendResult.Appended(endOffset, endOffset, -1, 0));
      return bytes;
    }
  }

  @Test
  @DisplayName("OP-07 of a log at rest a start after a crash reads a batch, not its active segment")
  void op07_crashStartOfALogAtRest() throws IOException {
    try (TestFolder folder = filled()) {
      TestLog log = folder.log();
      FlushTarget flushes = log.writer().flushTarget();
      log.writer().flush();
      assertThat(bytesReadAfterKill(folder, "flushed", BATCHES))
          .as("flushed only: all of the segment")
          .isGreaterThan(BATCHES * VALUE_BYTES);

      assertThat(log.reader().isRestDue(T + FIVE_MINUTES - 1)).isFalse();
      log.writer().rest(T + FIVE_MINUTES - 1);
      assertThat(flushes.demand(T)).isEqualTo(Demand.NONE);

      assertThat(log.reader().isRestDue(T + FIVE_MINUTES)).isTrue();
      log.writer().rest(T + FIVE_MINUTES);
      assertThat(flushes.demand(T)).isEqualTo(Demand.REST);
      flushes.flush(Demand.REST);
      assertThat(flushes.demand(T)).isEqualTo(Demand.NONE);
      assertThat(log.reader().isRestDue(T + FIVE_MINUTES)).as("once").isFalse();

      assertThat(bytesReadAfterKill(folder, "rested", BATCHES)).isLessThan(VALUE_BYTES);
    }
  }

  @Test
  @DisplayName("OP-07 a log that rests goes on as before, and rests again")
  void op07_goesOn() throws IOException {
    try (TestFolder folder = filled()) {
      TestLog log = folder.log();
      rest(folder);
      for (int i = 0; i < 3; i++) {
        log.append(batch(BATCHES + i, VALUE_BYTES));
      }
      assertThat(log.reader().isRestDue(T)).isFalse();
      log.writer().flush();
      assertThat(bytesReadAfterKill(folder, "again", BATCHES + 3))
          .isGreaterThan(BATCHES * VALUE_BYTES);

      rest(folder);
      assertThat(bytesReadAfterKill(folder, "rested", BATCHES + 3)).isLessThan(VALUE_BYTES);
      assertThat(folder.logFiles(".snapshot")).as("the newest only").hasSize(1);
    }
  }

  /** Below the log end a roll leaves the recovery point in the segment that is to be looked at. */
  private static void assertRecoveryPoint(TestFolder folder, int expected) throws StorageException {
    folder.directory().writeCheckpoints();
    assertThat(folder.path().resolve("recovery-point-offset-checkpoint"))
        .content()
        .endsWith("orders 0 %d\n".formatted(expected));
  }

  private static void rest(TestFolder folder) throws StorageException {
    folder.clock().advance(FIVE_MINUTES);
    folder.log().writer().rest(folder.clock().millis());
    folder.log().writer().flushTarget().flush(Demand.REST);
  }

  @Test
  @DisplayName("OP-07 an append before the disk has all makes it a plain flush")
  void op07_appendBetween() throws IOException {
    try (TestFolder folder = filled()) {
      TestLog log = folder.log();
      folder.clock().advance(FIVE_MINUTES);
      log.writer().rest(folder.clock().millis());
      log.append(batch(BATCHES, 10));
      log.writer().flushTarget().flush(Demand.REST);
      assertRecoveryPoint(folder, BATCHES);

      assertThat(bytesReadAfterKill(folder, "killed", BATCHES + 1))
          .isGreaterThan(BATCHES * VALUE_BYTES);
      folder.clock().advance(FIVE_MINUTES);
      assertThat(log.reader().isRestDue(folder.clock().millis())).isTrue();
    }
  }

  @Test
  @DisplayName("OP-07 a log that was cut to the same end meanwhile is not taken for one at rest")
  void op07_cutBetween() throws IOException {
    try (TestFolder folder = filled()) {
      TestLog log = folder.log();
      folder.clock().advance(FIVE_MINUTES);
      log.writer().rest(folder.clock().millis());
      log.writer().truncateTo(BATCHES - 1);
      log.append(batch(BATCHES - 1, VALUE_BYTES));
      log.writer().flushTarget().flush(Demand.REST);
      assertRecoveryPoint(folder, BATCHES - 1);

      assertThat(bytesReadAfterKill(folder, "killed", BATCHES))
          .isGreaterThan(BATCHES * VALUE_BYTES);
    }
  }

  @Test
  @DisplayName("OP-07 a stop has nothing left to do for a log at rest")
  void op07_stopOfALogAtRest() throws IOException {
    TestFolder folder = filled();
    rest(folder);
    files.reset();
    folder.stop();
    assertThat(files.forces(name -> name.startsWith("0"))).isZero();

    files.reset();
    folder.start();
    assertThat(folder.log().reader().logEndOffset()).isEqualTo(BATCHES);
    assertThat(files.opens(name -> name.endsWith(".log") || name.endsWith("index"))).isZero();
    folder.close();
  }
}
