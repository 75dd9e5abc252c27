package io.weirmq.storage.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** GT-01: lost acknowledgements and retried sends, up to five batches in flight. */
class InFlightRetriesTest {

  private static final TopicPartition PARTITION = new TopicPartition("orders", 3);
  private static final int IN_FLIGHT = 5;
  private static final int RECORDS = 3;

  @Test
  @DisplayName("GT-01 all orders of five retries, after every number of first arrivals")
  void gt01_allPermutationsOfFiveRetries() throws Exception {
    for (int arrived = 0; arrived <= IN_FLIGHT; arrived++) {
      for (List<Integer> order : permutations()) {
        ProducerStates states = new ProducerStates(PARTITION);
        LogOfBatches log = new LogOfBatches(states);
        for (int i = 0; i < arrived; i++) {
          assertThat(log.append(batch(i))).isEqualTo(SequenceCheck.Fits.INSTANCE);
        }
        checkRetries(log, order, arrived);
      }
    }
  }

  @Test
  @DisplayName("GT-01 the same after a restart from a snapshot and a replay of the log behind it")
  void gt01_retriesAfterARestart() throws Exception {
    for (int snapshotAt = 0; snapshotAt <= IN_FLIGHT; snapshotAt++) {
      for (List<Integer> order : permutations()) {
        ProducerStates before = new ProducerStates(PARTITION);
        LogOfBatches log = new LogOfBatches(before);
        List<ProducerSnapshotEntry> snapshot = List.of();
        for (int i = 0; i < IN_FLIGHT; i++) {
          log.append(batch(i));
          if (i + 1 == snapshotAt) {
            snapshot = before.snapshot();
          }
        }
        ProducerStates after = new ProducerStates(PARTITION);
        after.restore(snapshot);
        for (var replayed : log.batches().subList(snapshotAt, IN_FLIGHT)) {
          after.replay(replayed);
        }

        // A snapshot keeps the last batch only; what lies before it is refused, never repeated.
        int firstKnown = Math.max(0, snapshotAt - 1);
        for (int index : order) {
          SequenceCheck check =
              after.check(batch(index).build(), io.weirmq.storage.AppendOrigin.CLIENT);
          if (index >= firstKnown) {
            assertThat(check)
                .as("snapshot at %d, retry %d", snapshotAt, index)
                .isEqualTo(repeated(index));
          } else {
            assertThat(check).isInstanceOf(SequenceCheck.Refused.class);
          }
        }
      }
    }
  }

  private static void checkRetries(LogOfBatches log, List<Integer> order, int arrived)
      throws Exception {
    int next = arrived;
    for (int index : order) {
      SequenceCheck check = log.append(batch(index));
      if (index < next) {
        assertThat(check).as("%s: retry of %d", order, index).isEqualTo(repeated(index));
      } else if (index == next || next == 0) {
        // With nothing known, the first to come may have any sequence.
        assertThat(check).as("%s: %d is next", order, index).isEqualTo(SequenceCheck.Fits.INSTANCE);
        if (next == 0 && index > 0) {
          return;
        }
        next++;
      } else {
        assertThat(check)
            .as("%s: %d leaves a gap", order, index)
            .isInstanceOf(SequenceCheck.Refused.class);
      }
      assertThat(log.nextOffset()).isEqualTo((long) next * RECORDS);
    }
  }

  private static SequenceCheck repeated(int index) {
    long base = (long) index * RECORDS;
    return new SequenceCheck.Repeated(base, base + RECORDS - 1, 0);
  }

  private static Batch batch(int index) {
    return Batch.of(7, 0, index * RECORDS, RECORDS);
  }

  private static List<List<Integer>> permutations() {
    List<List<Integer>> all = new ArrayList<>();
    permute(new ArrayList<>(), all);
    assertThat(all).hasSize(120);
    return all;
  }

  private static void permute(List<Integer> begun, List<List<Integer>> all) {
    if (begun.size() == IN_FLIGHT) {
      all.add(List.copyOf(begun));
      return;
    }
    for (int i = 0; i < IN_FLIGHT; i++) {
      if (!begun.contains(i)) {
        begun.add(i);
        permute(begun, all);
        begun.remove(begun.size() - 1);
      }
    }
  }
}
