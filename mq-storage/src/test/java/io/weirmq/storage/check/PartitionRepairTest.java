package io.weirmq.storage.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.LogConfig;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionRepairTest {

  private static final long T = TestFolder.NOW_MS;

  @TempDir Path temporary;

  private TestFolder filled() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().segmentBytes(400).build();
    TestFolder folder = TestFolder.open(temporary.resolve("data"), config);
    for (int i = 0; i < 12; i++) {
      folder.log().append(T + i);
    }
    folder.stop();
    return folder;
  }

  @Test
  void takesOutTheDamagedBatch_keepsItAside_andTheRestIsSound() throws IOException {
    TestFolder folder = filled();
    Path file = folder.logFiles(".log").get(0);
    byte[] before = Files.readAllBytes(file);
    int batchBytes = 12 + ((before[8] << 24) | (before[9] << 16) | (before[10] << 8) | before[11]);
    byte[] damaged = before.clone();
    damaged[batchBytes + 70] ^= 4;
    Files.write(file, damaged);
    PartitionRepair repair = new PartitionRepair(new NioLogFileSystem(), folder.logFolder());

    List<PartitionRepair.Stretch> found = repair.find();

    assertThat(found).hasSize(1);
    assertThat(found.get(0).position()).isEqualTo(batchBytes);
    assertThat(found.get(0).lengthBytes()).isEqualTo(batchBytes);
    assertThat(found.get(0).firstOffset()).isEqualTo(1);
    assertThat(found.get(0).endOffset()).isEqualTo(2);
    assertThat(Files.readAllBytes(file)).as("finding writes nothing").isEqualTo(damaged);

    repair.apply(found);

    assertThat(Files.readAllBytes(found.get(0).kept()))
        .isEqualTo(Arrays.copyOfRange(damaged, batchBytes, 2 * batchBytes));
    byte[] expected = new byte[before.length - batchBytes];
    System.arraycopy(before, 0, expected, 0, batchBytes);
    System.arraycopy(before, 2 * batchBytes, expected, batchBytes, before.length - 2 * batchBytes);
    assertThat(Files.readAllBytes(file)).isEqualTo(expected);
    assertThat(repair.find()).isEmpty();
    Files.delete(folder.path().resolve(".kafka_cleanshutdown"));
    folder.start();
    assertThat(folder.log().reader().logEndOffset()).isEqualTo(12);
    assertThat(folder.log().baseOffsets(1, 1, 12)).as("a gap, as compaction leaves").contains(2L);
    for (long offset = 2; offset < 12; offset++) {
      assertThat(folder.log().baseOffsets(offset, 1, 12)).containsExactly(offset);
    }
    folder.close();
    try (PartitionChecker checker = new PartitionChecker()) {
      assertThat(checker.check(folder.logFolder(), bytes -> {}).findings()).isEmpty();
    }
  }

  @Test
  void cutsATornTail() throws IOException {
    TestFolder folder = filled();
    List<Path> logs = folder.logFiles(".log");
    Path last = logs.get(logs.size() - 1);
    byte[] whole = Files.readAllBytes(last);
    Files.write(last, Arrays.copyOf(whole, whole.length - 5));
    PartitionRepair repair = new PartitionRepair(new NioLogFileSystem(), folder.logFolder());

    List<PartitionRepair.Stretch> found = repair.find();
    repair.apply(found);
    Files.delete(folder.path().resolve(".kafka_cleanshutdown"));

    assertThat(found).hasSize(1);
    folder.start();
    TestLog log = folder.log();
    assertThat(log.reader().logEndOffset()).isEqualTo(11);
    folder.close();
  }

  @Test
  void leavesBatchesOfEpochsThatAKilledBrokerHasNotWrittenDown() throws IOException {
    TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults());
    folder.log().leaderEpoch(1).append(T);
    folder.reopen();
    folder.log().leaderEpoch(3).append(T + 1);
    folder.log().append(T + 2);
    Path killed = temporary.resolve("killed");
    TestFolder.copy(folder.path(), killed);
    folder.close();
    Path log = killed.resolve(TestFolder.PARTITION.toString());
    assertThat(Files.readString(log.resolve("leader-epoch-checkpoint")))
        .as("knows nothing of epoch 3")
        .isEqualTo("0\n1\n1 0\n");

    assertThat(new PartitionRepair(new NioLogFileSystem(), log).find()).isEmpty();
  }

  @Test
  void takesOutABatchWhoseEpochIsWrongBelowTheRecoveryPoint() throws IOException {
    TestFolder folder = filled();
    Path file = folder.logFiles(".log").get(0);
    byte[] damaged = Files.readAllBytes(file);
    damaged[15] ^= 4; // the last byte of the leader epoch, which no checksum covers
    Files.write(file, damaged);

    assertThat(new PartitionRepair(new NioLogFileSystem(), folder.logFolder()).find())
        .singleElement()
        .satisfies(
            stretch -> {
              assertThat(stretch.position()).isZero();
              assertThat(stretch.problem()).isEqualTo("leader epoch is 4; expected 0");
            });
    folder.close();
  }
}
