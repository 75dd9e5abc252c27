package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.CountingFileSystem;
import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.LogLines;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transaction indexes that somebody, or the disk, took away while nobody looked. */
class TransactionIndexLossTest {

  private static final long T = TestFolder.NOW_MS;
  private static final int ENTRY_BYTES = 34;
  private static final int TRANSACTIONS = 20;
  private static final String RECORD = "aborted-transactions";

  /** A segment takes three transactions, of which one is committed. */
  private static final LogConfig CONFIG =
      LogConfig.defaults().toBuilder().segmentBytes(1_500).index(10_000, 100).build();

  @TempDir Path temporary;

  private final CountingFileSystem counting = new CountingFileSystem(new FaultyFileSystem());
  private final List<AbortedTransaction> expected = new ArrayList<>();
  private TestFolder folder;

  /** What happens to a file. */
  enum Loss {
    MISSING,
    EMPTY,
    ZEROS,
    WITHOUT_LAST_ENTRY,
    HALF_AN_ENTRY,
    OTHER_PRODUCER,
    GARBAGE_BEHIND;

    void to(Path file) throws IOException {
      byte[] content = Files.readAllBytes(file);
      switch (this) {
        case MISSING -> Files.delete(file);
        case EMPTY -> Files.write(file, new byte[0]);
        case ZEROS -> Files.write(file, new byte[content.length]);
        case WITHOUT_LAST_ENTRY ->
            Files.write(file, Arrays.copyOf(content, content.length - ENTRY_BYTES));
        case HALF_AN_ENTRY -> Files.write(file, Arrays.copyOf(content, content.length - 7));
        case OTHER_PRODUCER -> {
          content[9] ^= 1; // the last byte of the first entry's producer id
          Files.write(file, content);
        }
        case GARBAGE_BEHIND ->
            Files.write(file, Arrays.copyOf(content, content.length + ENTRY_BYTES));
      }
    }
  }

  @BeforeEach
  void fill() throws IOException {
    folder = TestFolder.open(temporary.resolve("data"), CONFIG, counting);
    for (int i = 0; i < TRANSACTIONS; i++) {
      transaction(folder.log(), i, i % 3 != 0);
    }
    assertThat(folder.log().reader().segmentCount()).isGreaterThan(3);
    assertThat(expected).hasSize(13);
    assertThat(aborted()).isEqualTo(expected);
  }

  private void transaction(TestLog log, int sequence, boolean aborts) throws StorageException {
    long first = log.reader().logEndOffset();
    log.append(
        new RecordBatchBuilder()
            .producer(8, (short) 0, sequence)
            .transactional()
            .append(T, null, ByteBuffer.wrap(new byte[200]))
            .build());
    log.append(
        RecordBatchBuilder.endTransaction(new EndTransactionMarker(!aborts, 3), 8, (short) 0, T),
        AppendOrigin.COORDINATOR);
    if (aborts) {
      expected.add(new AbortedTransaction(8, first, first + 1, first + 2));
    }
  }

  private List<AbortedTransaction> aborted() throws StorageException {
    PartitionLog log = folder.log().reader();
    return log.abortedTransactions(0, log.logEndOffset());
  }

  @ParameterizedTest(name = "IX-01 {0}")
  @EnumSource(Loss.class)
  @DisplayName("IX-01 a transaction index that changed after a clean stop is made anew in silence")
  void ix01_eachAndAllMadeAnew(Loss loss) throws IOException {
    int indexes = folder.logFiles(".txnindex").size();
    for (int which = 0; which <= indexes; which++) {
      folder.stop();
      List<Path> files = folder.logFiles(".txnindex");
      assertThat(files).hasSize(indexes);
      List<Path> lost = which == indexes ? files : files.subList(which, which + 1);
      for (Path file : lost) {
        loss.to(file);
      }
      try (LogLines lines = new LogLines()) {
        folder.start();
        assertThat(aborted()).as("%s of %s", loss, lost).isEqualTo(expected);
        assertThat(lines.all())
            .as("one line of information for each at most")
            .hasSize(lost.size())
            .allMatch(line -> line.startsWith("INFO ") && line.contains("made anew"));
      }
    }
    folder.stop();
    try (LogLines lines = new LogLines()) {
      folder.start();
      assertThat(aborted()).isEqualTo(expected);
      assertThat(lines.all()).as("once").isEmpty();
    }
    folder.close();
  }

  @Test
  @DisplayName("IX-01 what is written behind a lost index of the active segment is in it")
  void ix01_theActiveSegmentGoesOn() throws IOException {
    folder.stop();
    List<Path> files = folder.logFiles(".txnindex");
    Files.delete(files.get(files.size() - 1));

    folder.start();
    transaction(folder.log(), TRANSACTIONS, true);

    assertThat(aborted()).isEqualTo(expected);
    folder.reopen();
    assertThat(aborted()).isEqualTo(expected);
    folder.close();
  }

  @Test
  @DisplayName("IX-01 a start looks into one file per log, and into the active segment's index")
  void ix01_aStartLooksIntoOneFile() throws IOException {
    folder.stop();
    counting.reset();

    folder.start();

    assertThat(counting.opens(name -> name.endsWith(RECORD))).isEqualTo(1);
    assertThat(counting.opens(name -> name.endsWith(".txnindex"))).isLessThanOrEqualTo(1);
    assertThat(counting.opens(name -> name.endsWith(".log"))).isZero();
    folder.stop();
    assertThat(counting.opens(name -> name.endsWith(".txnindex")))
        .as("a stop after nothing looks into no index that is remembered")
        .isLessThanOrEqualTo(2);
  }

  @Test
  @DisplayName("IX-01 a log without aborted transactions has nothing of it")
  void ix01_nothingWithoutAbortedTransactions() throws IOException {
    try (TestFolder plain =
        TestFolder.open(temporary.resolve("plain"), CONFIG, new FaultyFileSystem())) {
      for (int i = 0; i < 30; i++) {
        plain.log().appendSized(T + i, 200);
      }
      plain.reopen();
      assertThat(plain.logFiles(RECORD)).isEmpty();
      assertThat(plain.logFiles(".txnindex")).isEmpty();
    }
    folder.close();
  }

  @ParameterizedTest(name = "IX-01 without a record, {0}")
  @EnumSource(
      value = Loss.class,
      names = {"EMPTY", "ZEROS", "HALF_AN_ENTRY", "GARBAGE_BEHIND"})
  @DisplayName("IX-01 logs of Kafka and of earlier versions: nothing is remembered")
  void ix01_withoutARecord(Loss loss) throws IOException {
    folder.stop();
    Files.delete(folder.logFolder().resolve(RECORD));
    try (LogLines lines = new LogLines()) {
      folder.start();
      assertThat(aborted()).isEqualTo(expected);
      assertThat(lines.all()).as("believed").isEmpty();
    }
    folder.stop();
    assertThat(folder.logFiles(RECORD)).as("remembered from now on").hasSize(1);
    Files.delete(folder.logFolder().resolve(RECORD));
    loss.to(folder.logFiles(".txnindex").get(1));

    folder.start();

    assertThat(aborted()).as("what can be seen is seen").isEqualTo(expected);
    folder.close();
  }

  @ParameterizedTest(name = "IX-01 while it is used, {0}")
  @EnumSource(
      value = Loss.class,
      names = {"MISSING", "ZEROS"})
  @DisplayName("IX-01 an index that goes while the log is used is made anew")
  void ix01_whileItIsUsed(Loss loss) throws IOException {
    loss.to(folder.logFiles(".txnindex").get(1));

    assertThat(aborted()).isEqualTo(expected);
    folder.close();
  }

  @Test
  @DisplayName("IX-01 a record that is older than the indexes makes none of them anew")
  void ix01_anOldRecordIsNoReason() throws IOException {
    folder.stop();
    byte[] old = Files.readAllBytes(folder.logFolder().resolve(RECORD));
    folder.start();
    transaction(folder.log(), TRANSACTIONS, true);
    transaction(folder.log(), TRANSACTIONS + 1, true);
    folder.stop();
    Files.write(folder.logFolder().resolve(RECORD), old);

    try (LogLines lines = new LogLines()) {
      folder.start();
      assertThat(aborted()).isEqualTo(expected);
      assertThat(lines.all()).isEmpty();
    }
    folder.close();
  }

  @Test
  @DisplayName("IX-01 a record that is wrong costs nothing but time")
  void ix01_aWrongRecord() throws IOException {
    folder.stop();
    Path record = folder.logFolder().resolve(RECORD);
    List<String> lines = new ArrayList<>(Files.readAllLines(record));
    lines.set(2, lines.get(2).substring(0, lines.get(2).lastIndexOf(' ')) + " 00000000");
    Files.writeString(record, String.join("\n", lines) + "\n");

    folder.start();

    assertThat(aborted()).isEqualTo(expected);
    folder.stop();
    assertThat(Files.readAllLines(record)).as("right again").doesNotContain(lines.get(2));
  }

  @Test
  @DisplayName("IX-01 a log that is cut below a lost index keeps what lies before the cut")
  void ix01_cutBelowALostIndex() throws IOException {
    folder.stop();
    List<Path> files = folder.logFiles(".txnindex");
    Path second = files.get(1);
    long base = Long.parseLong(second.getFileName().toString().substring(0, 20));
    Loss.ZEROS.to(second);
    folder.start();
    long cut = base + 4;

    folder.log().writer().truncateTo(cut);

    expected.removeIf(entry -> entry.lastOffset() >= cut);
    assertThat(aborted()).isEqualTo(expected);
    folder.reopen();
    assertThat(aborted()).isEqualTo(expected);
    folder.close();
  }
}
