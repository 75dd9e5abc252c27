package io.weirmq.storage.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Producer states against a model that keeps the whole history and derives every answer from it.
 * The model has no overlay: a discarded write is simply never added.
 */
class ProducerModelTest {

  private static final int SEEDS = 400;
  private static final int STEPS = 120;

  @Test
  void answersLikeTheWholeHistory() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      new Run(seed).play();
    }
  }

  private static final class Run {
    private final int seed;
    private final Random random;
    private final ProducerStates states = new ProducerStates(new TopicPartition("orders", 3));
    private final List<Batch> history = new ArrayList<>();

    private long highWatermark;

    Run(int seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    void play() throws Exception {
      for (int step = 0; step < STEPS; step++) {
        playGroup(step);
        if (random.nextInt(3) == 0) {
          highWatermark += random.nextInt((int) (end(history) - highWatermark) + 1);
          states.onHighWatermark(highWatermark);
        }
        assertThat(states.lastStableOffset(highWatermark))
            .as("seed %d, step %d: last stable offset", seed, step)
            .isEqualTo(lastStable());
        if (random.nextInt(20) == 0) {
          restart();
        }
      }
    }

    /** Some batches in one write, which then succeeds or fails. */
    private void playGroup(int step) throws Exception {
      List<Batch> written = new ArrayList<>(history);
      for (int i = random.nextInt(4); i >= 0; i--) {
        Batch batch = randomBatch(written).offset(end(written));
        AppendOrigin origin =
            batch.marker().isPresent() ? AppendOrigin.COORDINATOR : AppendOrigin.CLIENT;
        String expected = expectation(written, batch);

        SequenceCheck check = states.check(batch.build(), origin);

        assertThat(describe(check))
            .as("seed %d, step %d: %s", seed, step, batch)
            .isEqualTo(expected);
        if (check == SequenceCheck.Fits.INSTANCE) {
          states.stage(batch.build());
          written.add(batch);
        }
      }
      if (random.nextInt(5) == 0) {
        states.discard();
      } else {
        states.commit();
        history.clear();
        history.addAll(written);
      }
    }

    private Batch randomBatch(List<Batch> written) {
      long id = random.nextInt(3);
      int known = epoch(written, id);
      int epoch = Math.max(0, known + (random.nextInt(8) == 0 ? random.nextInt(3) - 1 : 0));
      if (random.nextInt(6) == 0) {
        return Batch.marker(id, epoch, random.nextBoolean(), 1 + random.nextInt(2));
      }
      int count = 1 + random.nextInt(3);
      if (random.nextInt(3) == 0) {
        List<Batch> own = written.stream().filter(b -> b.producerId() == id).toList();
        if (!own.isEmpty()) {
          return own.get(own.size() - 1 - random.nextInt(Math.min(8, own.size()))).at(77);
        }
      }
      Batch last = lastData(written, id, epoch);
      int next = last == null ? 0 : last.sequence() + last.count();
      int sequence = random.nextInt(8) == 0 ? random.nextInt(10) : next;
      Batch batch = Batch.of(id, epoch, sequence, count);
      return random.nextInt(3) == 0 ? batch.transactional() : batch;
    }

    // ---- the model ----

    private static String expectation(List<Batch> written, Batch batch) {
      long id = batch.producerId();
      int known = epoch(written, id);
      if (known < 0) {
        return "fits";
      }
      if (batch.marker().isPresent()) {
        if (batch.epoch() < known) {
          return "INVALID_PRODUCER_EPOCH";
        }
        int coordinator = coordinatorEpoch(written, id);
        return batch.marker().get().coordinatorEpoch() < coordinator
            ? "TRANSACTION_COORDINATOR_FENCED"
            : "fits";
      }
      List<Batch> sameEpoch = ofPresentEpoch(written, id);
      int from = Math.max(0, sameEpoch.size() - 5);
      for (Batch earlier : sameEpoch.subList(from, sameEpoch.size())) {
        if (earlier.epoch() == batch.epoch()
            && earlier.sequence() == batch.sequence()
            && earlier.count() == batch.count()) {
          return "repeats " + earlier.baseOffset();
        }
      }
      if (batch.epoch() < known) {
        return "INVALID_PRODUCER_EPOCH";
      }
      int expected = 0;
      if (batch.epoch() == known && !sameEpoch.isEmpty()) {
        Batch last = sameEpoch.get(sameEpoch.size() - 1);
        expected = last.sequence() + last.count();
      }
      if (batch.sequence() != expected) {
        return "OUT_OF_ORDER_SEQUENCE_NUMBER";
      }
      return !batch.isTransactional() && firstOpen(written, id) >= 0 ? "INVALID_TXN_STATE" : "fits";
    }

    private long lastStable() {
      long stable = highWatermark;
      Map<Long, Long> open = new HashMap<>();
      for (Batch batch : history) {
        if (batch.marker().isPresent()) {
          Long first = open.remove(batch.producerId());
          if (first != null && batch.baseOffset() >= highWatermark) {
            stable = Math.min(stable, first);
          }
        } else if (batch.isTransactional()) {
          open.putIfAbsent(batch.producerId(), batch.baseOffset());
        }
      }
      for (long first : open.values()) {
        stable = Math.min(stable, first);
      }
      return stable;
    }

    private static int epoch(List<Batch> written, long id) {
      int epoch = -1;
      for (Batch batch : written) {
        epoch = batch.producerId() == id ? batch.epoch() : epoch;
      }
      return epoch;
    }

    private static int coordinatorEpoch(List<Batch> written, long id) {
      int epoch = -1;
      for (Batch batch : written) {
        if (batch.producerId() == id && batch.marker().isPresent()) {
          epoch = batch.marker().get().coordinatorEpoch();
        }
      }
      return epoch;
    }

    /** The data batches since the producer's epoch last changed. */
    private static List<Batch> ofPresentEpoch(List<Batch> written, long id) {
      List<Batch> batches = new ArrayList<>();
      int epoch = -1;
      for (Batch batch : written) {
        if (batch.producerId() != id) {
          continue;
        }
        if (batch.epoch() != epoch) {
          epoch = batch.epoch();
          batches.clear();
        }
        if (batch.marker().isEmpty()) {
          batches.add(batch);
        }
      }
      return batches;
    }

    private static @org.jspecify.annotations.Nullable Batch lastData(
        List<Batch> written, long id, int epoch) {
      List<Batch> batches = ofPresentEpoch(written, id);
      Batch last = batches.isEmpty() ? null : batches.get(batches.size() - 1);
      return last != null && last.epoch() == epoch ? last : null;
    }

    private static long firstOpen(List<Batch> written, long id) {
      long first = -1;
      for (Batch batch : written) {
        if (batch.producerId() != id) {
          continue;
        }
        if (batch.marker().isPresent()) {
          first = -1;
        } else if (batch.isTransactional() && first < 0) {
          first = batch.baseOffset();
        }
      }
      return first;
    }

    private static long end(List<Batch> written) {
      if (written.isEmpty()) {
        return 0;
      }
      Batch last = written.get(written.size() - 1);
      return last.baseOffset() + last.count();
    }

    private static String describe(SequenceCheck check) {
      if (check instanceof SequenceCheck.Refused refused) {
        return refused.reason().name();
      }
      return check instanceof SequenceCheck.Repeated repeated
          ? "repeats " + repeated.baseOffset()
          : "fits";
    }

    /** Replaying everything gives the same state. */
    private void restart() throws Exception {
      states.clear();
      for (Batch batch : history) {
        states.replay(batch.build());
      }
      states.onHighWatermark(highWatermark);
    }
  }
}
