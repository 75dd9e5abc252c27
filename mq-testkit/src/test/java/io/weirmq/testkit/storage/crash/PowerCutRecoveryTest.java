package io.weirmq.testkit.storage.crash;

import static io.weirmq.testkit.storage.crash.DiskFolder.SMALL;
import static io.weirmq.testkit.storage.crash.DiskFolder.T;
import static io.weirmq.testkit.storage.crash.DiskFolder.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.TimestampedOffset;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import io.weirmq.testkit.storage.PowerCut;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What power cuts at random moments have found, each in a few lines. */
class PowerCutRecoveryTest {

  private static final int SEEDS = 150;
  private static final Path LOG_FOLDER = DiskFolder.FOLDER.resolve("orders-0");

  /** Checks that a log is a prefix of values, with these at least. */
  private static void assertPrefix(DiskFolder folder, List<String> whole, int atLeast, long seed)
      throws IOException {
    List<String> found = folder.values();
    assertThat(found.size()).as("seed %d", seed).isBetween(atLeast, whole.size());
    assertThat(found).as("seed %d", seed).isEqualTo(whole.subList(0, found.size()));
    folder.append("next", 5);
    assertThat(folder.values()).as("seed %d", seed).hasSize(found.size() + 5);
  }

  private static List<String> joined(List<String> first, List<String> second) {
    List<String> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  @Test
  void theNameOfANewDataFolderIsDurableWithTheFirstFlush() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL).append("a", 3);
    folder.writer().flush();

    assertThat(folder.after(PowerCut.losingAll()).values()).isEqualTo(values("a", 0, 3));
  }

  @Test
  void theNameOfADataFolderIsDurableThoughAnEarlierOpeningWasKilledBeforeItsForce()
      throws IOException {
    InMemoryFileSystem disk = new InMemoryFileSystem();
    disk.createDirectories(DiskFolder.FOLDER);

    DiskFolder folder = DiskFolder.open(disk.kill(), SMALL).append("a", 3);
    folder.writer().flush();

    assertThat(folder.after(PowerCut.losingAll()).values()).isEqualTo(values("a", 0, 3));
  }

  @Test
  void whatWasCutOffDoesNotComeBackBehindWhatWasAppendedInItsPlace() throws IOException {
    List<String> whole = joined(values("a", 0, 4), values("b", 4, 7));
    for (long seed = 0; seed < SEEDS; seed++) {
      DiskFolder folder = DiskFolder.open(SMALL).append("a", 14);
      folder.writer().flush();
      folder.writer().truncateTo(4);
      folder.append("b", 3);

      assertPrefix(folder.after(PowerCut.seeded(seed)), whole, 4, seed);
    }
  }

  @Test
  void whatIsAppendedBehindACutBelowTheRecoveryPointIsRecovered() throws IOException {
    List<String> whole = joined(values("a", 0, 2), values("b", 2, 12));
    for (long seed = 0; seed < SEEDS; seed++) {
      DiskFolder folder = DiskFolder.open(SMALL).append("a", 10);
      folder.writer().flush();
      folder.directory().writeCheckpoints();
      folder.writer().truncateTo(2);
      folder.append("b", 10);

      assertPrefix(folder.after(PowerCut.seeded(seed)), whole, 2, seed);
    }
  }

  @Test
  void aLogCutBelowItsStartKeepsWhatIsFlushedThen() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL).append("a", 14);
    folder.writer().deleteRecordsBefore(9);
    folder.writer().flush();
    folder.directory().writeCheckpoints();
    folder.writer().truncateTo(3);
    folder.append("b", 2);
    folder.writer().flush();

    DiskFolder after = folder.after(PowerCut.losingAll());
    assertThat(after.log().logStartOffset()).isEqualTo(3);
    assertThat(after.values()).isEqualTo(values("b", 3, 5));
  }

  @Test
  void theLogEndsWhereASegmentHasLostItsEndThoughTheNextIsThere() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      DiskFolder folder = DiskFolder.open(SMALL).append("a", 14);

      assertPrefix(folder.after(PowerCut.seeded(seed)), values("a", 0, 14), 0, seed);
    }
  }

  @Test
  void whatRecoveryCutsOffDoesNotComeBackBehindWhatIsAppendedThen() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      DiskFolder folder = DiskFolder.open(SMALL).append("a", 14);
      Path first = LOG_FOLDER.resolve("00000000000000000000.log");
      InMemoryFileSystem torn = folder.disk().kill();
      torn.flipBit(first, torn.size(first) / 5 + 70, 3);
      DiskFolder recovered = DiskFolder.open(torn, SMALL);
      assertThat(recovered.values()).isEqualTo(values("a", 0, 1));
      recovered.append("b", 2);

      List<String> whole = joined(values("a", 0, 1), values("b", 1, 3));
      assertPrefix(recovered.after(PowerCut.seeded(seed)), whole, 0, seed);
    }
  }

  @Test
  void aSegmentThatBecomesTheLastOneInRecoveryTakesAppends() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL).append("a", 14);
    InMemoryFileSystem torn = folder.disk().kill();
    torn.flipBit(LOG_FOLDER.resolve("00000000000000000005.log"), 70, 3);

    assertPrefix(DiskFolder.open(torn, SMALL), values("a", 0, 14), 4, 0);
  }

  @Test
  void recoveryLooksAtASegmentThatWasSealedAtTheEndOfAFlush() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL).append("a", 3).appendAborted(7);
    folder.writer().flush();
    folder.directory().writeCheckpoints();
    folder.writer().roll();
    long end = folder.log().logEndOffset();
    folder.append("b", 1);

    for (long seed = 0; seed < SEEDS; seed++) {
      DiskFolder after = folder.after(PowerCut.seeded(seed));
      assertThat(after.log().findByTimestamp(T + 2, end))
          .as("seed %d", seed)
          .contains(new TimestampedOffset(2, T + 2, 0));
      assertThat(after.log().abortedTransactions(0, end))
          .as("seed %d", seed)
          .containsExactly(new AbortedTransaction(7, 3, 4, 5));
    }
  }

  @Test
  void aStopForcesWhatIsDerivedAlsoWhereTheBatchesWereForcedBefore() throws IOException {
    DiskFolder folder = DiskFolder.open(LogConfig.defaults()).append("a", 9).appendAborted(7);
    folder.writer().flush();
    folder.directory().close();

    DiskFolder after = folder.after(PowerCut.losingAll());
    assertThat(after.log().findByTimestamp(T + 8, 9)).contains(new TimestampedOffset(8, T + 8, 0));
    assertThat(after.log().abortedTransactions(0, 11))
        .containsExactly(new AbortedTransaction(7, 9, 10, 11));
  }

  @Test
  void aStopBehindACutForcesTheEndOfTheTimeIndex() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      DiskFolder folder = DiskFolder.open(SMALL).append("a", 5);
      folder.writer().truncateTo(4);
      folder.directory().close();
      DiskFolder again = DiskFolder.open(folder.disk(), SMALL);
      again.writer().roll();

      DiskFolder after = again.after(PowerCut.seeded(seed));
      assertThat(after.log().findByTimestamp(T + 3, 4))
          .as("seed %d", seed)
          .contains(new TimestampedOffset(3, T + 3, 0));
    }
  }

  @Test
  void aTransactionIndexThatWasTornBehindTheLastStopIsNotBelieved() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      DiskFolder folder = DiskFolder.open(SMALL).append("a", 2);
      folder.directory().close();
      DiskFolder again = DiskFolder.open(folder.disk(), SMALL).appendAborted(7);

      DiskFolder after = again.after(PowerCut.seeded(seed));
      boolean aborted = after.log().logEndOffset() == 4;
      assertThat(after.log().abortedTransactions(0, 100)).hasSize(aborted ? 1 : 0);
    }
  }

  @Test
  void anEmptySegmentHasNoUseForTheIndexOfALostOne() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL).append("a", 4);
    folder.writer().roll();
    InMemoryFileSystem after = folder.disk().kill();
    byte[] timeIndex = after.bytes(LOG_FOLDER.resolve("00000000000000000000.timeindex"));
    after.put(LOG_FOLDER.resolve("00000000000000000000.log"), new byte[0]);
    after.deleteIfExists(LOG_FOLDER.resolve("00000000000000000004.log"));
    assertThat(timeIndex).isNotEmpty();

    assertPrefix(DiskFolder.open(after, SMALL), values("a", 0, 4), 0, 0);
  }

  @Test
  void anEmptySegmentAtTheRecoveryPointHasNoUseForIndexesOfLostBatches() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL).append("a", 4);
    folder.writer().roll();
    folder.writer().flush();
    folder.directory().writeCheckpoints();
    InMemoryFileSystem after = folder.disk().kill();
    // As if the index had reached the disk, and the batches had not.
    for (String kind : List.of(".index", ".timeindex")) {
      byte[] index = after.bytes(LOG_FOLDER.resolve("00000000000000000000" + kind));
      assertThat(index).isNotEmpty();
      after.put(LOG_FOLDER.resolve("00000000000000000004" + kind), index);
    }

    DiskFolder recovered = DiskFolder.open(after, SMALL).append("b", 4);
    for (int restart = 0; restart < 2; restart++) {
      assertThat(recovered.values()).isEqualTo(joined(values("a", 0, 4), values("b", 4, 8)));
      for (long offset = 0; offset < 8; offset++) {
        assertThat(recovered.log().findByTimestamp(T + offset, 8))
            .contains(new TimestampedOffset(offset, T + offset, 0));
      }
      recovered.directory().close();
      for (String kind : List.of(".index", ".timeindex")) {
        assertThat(after.size(LOG_FOLDER.resolve("00000000000000000004" + kind)))
            .as("%s of as many batches of one size", kind)
            .isEqualTo(after.size(LOG_FOLDER.resolve("00000000000000000000" + kind)));
      }
      recovered = DiskFolder.open(after, SMALL);
    }
  }

  @Test
  void theIndexesOfARecoveredSegmentAreInItsFolder() throws IOException {
    DiskFolder first = DiskFolder.open(SMALL).append("a", 2);
    first.directory().close();
    // The start looks into the indexes to see whether something lies behind the last stop.
    DiskFolder again = DiskFolder.open(first.disk(), SMALL).append("a", 2);

    DiskFolder recovered = DiskFolder.open(again.disk().kill(), SMALL);
    assertThat(recovered.values()).isEqualTo(values("a", 0, 4));
    recovered.directory().close();

    for (String kind : List.of(".index", ".timeindex")) {
      assertThat(recovered.disk().exists(LOG_FOLDER.resolve("00000000000000000000" + kind)))
          .as(kind)
          .isTrue();
    }
  }

  @Test
  void aBatchThatIsDamagedBelowTheRecoveryPointCostsNothingOfWhatFollows() throws IOException {
    DiskFolder folder = DiskFolder.open(LogConfig.defaults()).append("a", 6);
    folder.writer().flush();
    folder.directory().writeCheckpoints();
    folder.append("a", 2);
    InMemoryFileSystem disk = folder.disk().kill();
    Path file = LOG_FOLDER.resolve("00000000000000000000.log");
    disk.flipBit(file, disk.size(file) / 8 * 2 + 75, 1);

    DiskFolder after = DiskFolder.open(disk, LogConfig.defaults());
    assertThat(after.log().logEndOffset()).isEqualTo(8);
    assertThat(after.values(0, 2)).isEqualTo(values("a", 0, 2));
    assertThatThrownBy(() -> after.values(2, 3)).isInstanceOf(CorruptSegmentException.class);
    assertThat(after.append("b", 1).values(3, 9))
        .isEqualTo(joined(values("a", 3, 8), values("b", 8, 9)));
  }

  @Test
  void aTopicIdIsNotTakenFromAnAttemptBefore() throws IOException {
    byte[] before =
        "version: 0\ntopic_id: 9Ff4mVSCRgKFcRVv9Xgfhw\n".getBytes(StandardCharsets.UTF_8);
    for (long seed = 0; seed < SEEDS; seed++) {
      InMemoryFileSystem disk = new InMemoryFileSystem();
      disk.createDirectories(LOG_FOLDER);
      disk.put(LOG_FOLDER.resolve("partition.metadata.tmp"), before);
      disk.forceDirectory(DiskFolder.FOLDER);
      disk.forceDirectory(Path.of("/"));
      DiskFolder folder = DiskFolder.open(disk, SMALL).append("a", 1);

      // A folder whose id was lost, or that has nothing in it, is without; none has the old one.
      DiskFolder after = folder.after(PowerCut.seeded(seed));
      assertThat(after.log().topicId())
          .as("seed %d", seed)
          .isIn(DiskFolder.TOPIC_ID, new java.util.UUID(0, 0));
    }
  }

  @Test
  void aLogThatBeginsAnewKnowsNoProducersOfTheOneBefore() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      DiskFolder folder = DiskFolder.open(SMALL);
      for (int i = 1; i <= 6; i++) {
        folder.appendAborted(i);
      }
      folder.writer().deleteRecordsBefore(12);

      DiskFolder once = folder.after(PowerCut.seeded(seed));
      DiskFolder twice = once.after(PowerCut.keepingAll());
      if (once.log().logEndOffset() == 12 && once.log().sizeBytes() == 0) {
        assertThat(once.log().producers()).as("seed %d", seed).isEmpty();
        assertThat(twice.log().producers()).as("seed %d", seed).isEmpty();
      }
    }
  }
}
