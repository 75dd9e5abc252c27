package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Last stable offset and aborted transactions, live and after a restart. */
class TransactionTest {

  private static final long T = TestFolder.NOW_MS;

  @TempDir Path temporary;

  private static ByteBuffer data(long producerId, int sequence) {
    return new RecordBatchBuilder()
        .producer(producerId, (short) 0, sequence)
        .transactional()
        .append(T, null, TestLog.bytes("data"))
        .append(T, null, TestLog.bytes("data"))
        .build();
  }

  private static ByteBuffer marker(long producerId, boolean commit) {
    return RecordBatchBuilder.endTransaction(
        new EndTransactionMarker(commit, 3), producerId, (short) 0, T);
  }

  @Test
  void lastStableOffset_waitsForTheMarkerToBeReplicated() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults())) {
      TestLog log = folder.log();
      log.append(T, T);
      log.append(data(1, 0));
      log.append(data(2, 0));
      assertThat(log.reader().highWatermark()).isEqualTo(6);
      assertThat(log.reader().lastStableOffset()).isEqualTo(2);

      log.appendOnly(marker(1, true), AppendOrigin.COORDINATOR);
      assertThat(log.reader().lastStableOffset()).isEqualTo(2);
      log.writer().advanceHighWatermark(7);
      assertThat(log.reader().lastStableOffset()).isEqualTo(4);

      log.append(marker(2, false), AppendOrigin.COORDINATOR);
      assertThat(log.reader().lastStableOffset()).isEqualTo(8);
      assertThat(log.reader().abortedTransactions(0, 8))
          .containsExactly(new AbortedTransaction(2, 4, 7, 8));
    }
  }

  @Test
  void abortedTransactions_areThoseOfTheRange_alsoAfterStopAndKill() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().segmentBytes(600).build();
    Path killed = temporary.resolve("killed");
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), config)) {
      TestLog log = folder.log();
      for (int round = 0; round < 6; round++) {
        log.append(data(1, round * 2));
        log.append(data(2, round * 2));
        log.append(marker(1, false), AppendOrigin.COORDINATOR);
        log.append(marker(2, round % 2 == 0), AppendOrigin.COORDINATOR);
      }
      log.append(data(3, 0));
      assertThat(log.reader().segmentCount()).isGreaterThan(3);
      assertAborted(log);
      TestFolder.copy(folder.path(), killed);

      folder.reopen();
      assertAborted(folder.log());
      assertThat(folder.log().reader().lastStableOffset()).isEqualTo(36);
    }
    try (TestFolder folder = TestFolder.open(killed, config)) {
      assertAborted(folder.log());
      folder.log().writer().advanceHighWatermark(38);
      assertThat(folder.log().reader().lastStableOffset()).isEqualTo(36);
      folder.log().append(marker(3, false), AppendOrigin.COORDINATOR);
      assertThat(folder.log().reader().lastStableOffset()).isEqualTo(39);
    }
  }

  /** Per round: producer 1 has offsets 0 and 1, producer 2 has 2 and 3, markers at 4 and 5. */
  private static void assertAborted(TestLog log) throws StorageException {
    assertThat(log.reader().abortedTransactions(0, 6))
        .containsExactly(new AbortedTransaction(1, 0, 4, 2));
    assertThat(log.reader().abortedTransactions(0, 12))
        .containsExactly(
            new AbortedTransaction(1, 0, 4, 2),
            new AbortedTransaction(1, 6, 10, 8),
            new AbortedTransaction(2, 8, 11, 12));
    assertThat(log.reader().abortedTransactions(5, 7))
        .as("the first one's marker lies before the range")
        .extracting(AbortedTransaction::firstOffset)
        .containsExactly(6L);
    assertThat(log.reader().abortedTransactions(11, 12))
        .extracting(AbortedTransaction::firstOffset)
        .containsExactly(8L);
    assertThat(log.reader().abortedTransactions(12, 12)).isEmpty();
    assertThat(log.reader().abortedTransactions(0, 38)).hasSize(9);
  }

  @Test
  void writesTheTransactionIndexFormat() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults())) {
      folder.log().append(data(0x1122, 0));
      folder.log().append(marker(0x1122, false), AppendOrigin.COORDINATOR);

      assertThat(HexFormat.of().formatHex(Files.readAllBytes(folder.logFiles(".txnindex").get(0))))
          .isEqualTo(
              "0000"
                  + "0000000000001122"
                  + "0000000000000000"
                  + "0000000000000002"
                  + "0000000000000003");
    }
  }
}
