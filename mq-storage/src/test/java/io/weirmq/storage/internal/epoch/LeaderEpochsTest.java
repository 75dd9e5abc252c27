package io.weirmq.storage.internal.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.EpochEndOffset;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.NioLogFileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaderEpochsTest {

  private final LogFileSystem files = new NioLogFileSystem();

  @TempDir Path folder;

  @Test
  void writesKafkasFormatAndReadsItBack() throws Exception {
    LeaderEpochs epochs = epochs(0, 0, 3, 1742);

    assertThat(folder.resolve("leader-epoch-checkpoint")).hasContent("0\n2\n0 0\n3 1742");
    assertThat(LeaderEpochs.open(files, folder).entries()).isEqualTo(epochs.entries());
    assertThat(epochs.latestEpoch()).isEqualTo(3);
    assertThat(epochs.earliest()).contains(new EpochStart(0, 0));
  }

  @Test
  @DisplayName("RP-03 answers for epoch queries")
  void rp03_epochQueries() throws Exception {
    // Epochs 2, 4 and 7; the log starts at 10 and ends at 100.
    LeaderEpochs epochs = epochs(2, 10, 4, 40, 7, 70);

    assertThat(epochs.endOffsetOf(7, 7, 100)).as("current").isEqualTo(end(7, 100));
    assertThat(epochs.endOffsetOf(4, 7, 100)).as("known").isEqualTo(end(4, 70));
    assertThat(epochs.endOffsetOf(2, 7, 100)).as("known, first").isEqualTo(end(2, 40));
    assertThat(epochs.endOffsetOf(5, 7, 100)).as("gap").isEqualTo(end(4, 70));
    assertThat(epochs.endOffsetOf(3, 7, 100)).as("gap").isEqualTo(end(2, 40));
    assertThat(epochs.endOffsetOf(1, 7, 100)).as("older than all").isEqualTo(end(1, 10));
    assertThat(epochs.endOffsetOf(8, 7, 100)).as("future").isEqualTo(EpochEndOffset.UNDEFINED);
    assertThat(epochs.endOffsetOf(-1, 7, 100)).as("none").isEqualTo(EpochEndOffset.UNDEFINED);
    // The leader is in epoch 9 and has not appended yet.
    assertThat(epochs.endOffsetOf(9, 9, 100)).isEqualTo(end(9, 100));
    assertThat(epochs.endOffsetOf(8, 9, 100)).isEqualTo(end(7, 100));
    assertThat(epochs.endOffsetOf(7, 9, 100)).isEqualTo(end(7, 100));
  }

  @Test
  @DisplayName("RP-03 a log without epochs")
  void rp03_emptyLog() throws Exception {
    LeaderEpochs epochs = LeaderEpochs.open(files, folder);
    assertThat(epochs.endOffsetOf(0, 0, 0)).isEqualTo(end(0, 0));
    assertThat(epochs.endOffsetOf(1, 0, 0)).isEqualTo(EpochEndOffset.UNDEFINED);
    assertThat(epochs.endOffsetOf(0, 4, 12)).isEqualTo(end(0, 12));
    assertThat(epochs.latestEpoch()).isEqualTo(-1);
    assertThat(epochs.earliest()).isEmpty();
  }

  @Test
  @DisplayName("CC-07 the epoch of a record is the one it was written in")
  void cc07_epochOfOffset() throws Exception {
    LeaderEpochs epochs = epochs(2, 10, 4, 40, 7, 70);
    assertThat(epochs.epochOfOffset(9)).isEqualTo(-1);
    assertThat(epochs.epochOfOffset(10)).isEqualTo(2);
    assertThat(epochs.epochOfOffset(39)).isEqualTo(2);
    assertThat(epochs.epochOfOffset(40)).isEqualTo(4);
    assertThat(epochs.epochOfOffset(1000)).isEqualTo(7);
    assertThat(epochs.previousEpoch(7)).isEqualTo(4);
    assertThat(epochs.previousEpoch(2)).isEqualTo(-1);
  }

  @Test
  void assigningTheLatestEpochAgainChangesNothing() throws Exception {
    LeaderEpochs epochs = epochs(2, 10);
    epochs.assign(2, 50);
    assertThat(epochs.entries()).containsExactly(new EpochStart(2, 10));
  }

  @Test
  void assigningRemovesWhatContradicts() throws Exception {
    LeaderEpochs epochs = epochs(2, 10, 4, 40, 7, 70);
    epochs.assign(5, 60);
    assertThat(epochs.entries())
        .containsExactly(new EpochStart(2, 10), new EpochStart(4, 40), new EpochStart(5, 60));
    epochs.assign(8, 40);
    assertThat(epochs.entries()).containsExactly(new EpochStart(2, 10), new EpochStart(8, 40));
  }

  @Test
  void truncatesFromBothEnds() throws Exception {
    LeaderEpochs epochs = epochs(2, 10, 4, 40, 7, 70);
    epochs.truncateFromEnd(70);
    assertThat(epochs.latestEpoch()).isEqualTo(4);
    epochs.truncateFromEnd(41);
    assertThat(epochs.latestEpoch()).isEqualTo(4);
    epochs.truncateFromStart(10);
    assertThat(epochs.earliest()).contains(new EpochStart(2, 10));
    epochs.truncateFromStart(25);
    assertThat(epochs.earliest()).contains(new EpochStart(2, 25));
    epochs.truncateFromStart(45);
    assertThat(epochs.entries()).containsExactly(new EpochStart(4, 45));
    epochs.truncateFromEnd(0);
    assertThat(epochs.entries()).isEmpty();
    assertThat(LeaderEpochs.open(files, folder).entries()).isEmpty();
  }

  @Test
  void answersLikeAListOfTheEpochsOfAllRecords() throws Exception {
    for (int seed = 0; seed < 10; seed++) {
      Random random = new Random(seed);
      Path own = Files.createDirectories(folder.resolve("p" + seed));
      LeaderEpochs epochs = LeaderEpochs.open(files, own);
      List<Integer> model = new ArrayList<>();
      long logStart = 0;
      int epoch = 0;
      for (int step = 0; step < 40; step++) {
        int act = random.nextInt(10);
        if (act < 7) {
          epoch += random.nextInt(3);
          epochs.assign(epoch, model.size());
          for (int i = random.nextInt(5); i >= 0; i--) {
            model.add(epoch);
          }
        } else if (act < 9 && model.size() > logStart) {
          int end = (int) logStart + random.nextInt((int) (model.size() - logStart) + 1);
          epochs.truncateFromEnd(end);
          model.subList(end, model.size()).clear();
        } else if (model.size() > logStart + 1) {
          // The last record stays, so that the model knows the epoch at the start.
          logStart += random.nextInt((int) (model.size() - logStart));
          epochs.truncateFromStart(logStart);
        }
        for (int offset = (int) logStart; offset < model.size(); offset++) {
          assertThat(epochs.epochOfOffset(offset))
              .as("seed %d, step %d, offset %d", seed, step, offset)
              .isEqualTo(model.get(offset));
        }
        assertThat(LeaderEpochs.open(files, own).entries()).isEqualTo(epochs.entries());
      }
    }
  }

  @Test
  @DisplayName("ST-07 a damaged checkpoint opens, and can be rebuilt")
  void st07_damagedCheckpoint() throws Exception {
    Path path = folder.resolve(LeaderEpochs.NAME);
    for (String content :
        List.of(
            "",
            "\0\0\0",
            "0\n2\n0 0\n3 17",
            "0\n2\n5 0\n3 17\n",
            "0\n2\n3 17\n5 17\n",
            "0\n1\n3 17\ngarbage",
            "0\n1\n-3 17\n",
            "9\n0\n")) {
      Files.writeString(path, content);
      LeaderEpochs epochs = LeaderEpochs.open(files, folder);
      assertThat(epochs.damages()).as(content).isNotEmpty();

      epochs.replaceAll(List.of(new EpochStart(0, 0), new EpochStart(3, 1742)));

      LeaderEpochs again = LeaderEpochs.open(files, folder);
      assertThat(again.damages()).isEmpty();
      assertThat(again.latestEpoch()).isEqualTo(3);
    }
  }

  @Test
  void refusesEntriesThatDoNotRise() throws Exception {
    LeaderEpochs epochs = epochs(0, 0);
    assertThatThrownBy(() -> epochs.replaceAll(List.of(new EpochStart(3, 5), new EpochStart(4, 5))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new EpochStart(-1, 5)).isInstanceOf(IllegalArgumentException.class);
  }

  private LeaderEpochs epochs(int... pairs) throws Exception {
    LeaderEpochs epochs = LeaderEpochs.open(files, folder);
    for (int i = 0; i < pairs.length; i += 2) {
      epochs.assign(pairs[i], pairs[i + 1]);
    }
    return epochs;
  }

  private static EpochEndOffset end(int epoch, long offset) {
    return new EpochEndOffset(epoch, offset);
  }
}
