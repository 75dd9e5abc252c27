package io.weirmq.testkit.storage.crash;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.ProducerSummary;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;

/** Makes batches of all kinds that fit what a log has. */
final class Batches {

  private static final CompressionType[] CODECS = CompressionType.values();
  private static final int COORDINATOR_EPOCH = 4;

  private final Random random;
  private final long firstTimeMs;

  /**
   * A batch to append, and what its model will be once it is stamped.
   *
   * @param origin who appends it
   * @param leaderEpoch to stamp; of a replicated one its own
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Made(
      ByteBuffer buffer, AppendOrigin origin, int leaderEpoch, long[] timestamps, boolean commit) {

    ModelBatch model(long baseOffset, boolean appendTime) {
      RecordBatch view = RecordBatch.of(buffer.duplicate());
      long[] times = timestamps.clone();
      if (appendTime && origin != AppendOrigin.REPLICATION) {
        java.util.Arrays.fill(times, view.maxTimestamp());
      }
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      return new ModelBatch(
          baseOffset,
          bytes,
          times,
          view.maxTimestamp(),
          leaderEpoch,
          view.producerId(),
          view.producerEpoch(),
          view.hasProducerId() && !view.isControl() ? view.lastSequence() : -1,
          view.isTransactional(),
          view.isControl(),
          commit,
          COORDINATOR_EPOCH);
    }
  }

  Batches(Random random, long firstTimeMs) {
    this.random = random;
    this.firstTimeMs = firstTimeMs;
  }

  /** A batch that fits behind what a log has, at a leader epoch. */
  Made next(List<ModelBatch> before, long end, int leaderEpoch) {
    int kind = random.nextInt(10);
    ModelProducers known = ModelProducers.of(before);
    if (kind < 3) {
      return plain(leaderEpoch);
    }
    if (kind == 3) {
      return replicated(end, leaderEpoch);
    }
    if (kind < 7) {
      return data(1 + random.nextInt(3), known, leaderEpoch, false);
    }
    long id = 11L + random.nextInt(3);
    ProducerSummary state = known.producers().get(id);
    boolean open = state != null && state.currentTransactionFirstOffset() >= 0;
    return open && random.nextInt(3) == 0
        ? marker(state, leaderEpoch)
        : data(id, known, leaderEpoch, true);
  }

  private Made plain(int leaderEpoch) {
    RecordBatchBuilder builder = new RecordBatchBuilder();
    long[] times = fill(builder);
    return new Made(builder.build(), AppendOrigin.CLIENT, leaderEpoch, times, false);
  }

  private Made replicated(long end, int leaderEpoch) {
    RecordBatchBuilder builder = new RecordBatchBuilder().baseOffset(end).leaderEpoch(leaderEpoch);
    long[] times = fill(builder);
    return new Made(builder.build(), AppendOrigin.REPLICATION, leaderEpoch, times, false);
  }

  private Made data(long id, ModelProducers known, int leaderEpoch, boolean transactional) {
    ProducerSummary state = known.producers().get(id);
    boolean bump = state != null && !transactional && random.nextInt(8) == 0;
    short epoch = state == null ? 0 : (short) (state.producerEpoch() + (bump ? 1 : 0));
    int sequence = state == null || bump ? 0 : state.lastSequence() + 1;
    RecordBatchBuilder builder = new RecordBatchBuilder().producer(id, epoch, sequence);
    if (transactional) {
      builder.transactional();
    }
    long[] times = fill(builder);
    return new Made(builder.build(), AppendOrigin.CLIENT, leaderEpoch, times, false);
  }

  private Made marker(ProducerSummary state, int leaderEpoch) {
    boolean commit = random.nextBoolean();
    long time = time();
    ByteBuffer buffer =
        RecordBatchBuilder.endTransaction(
            new EndTransactionMarker(commit, COORDINATOR_EPOCH),
            state.producerId(),
            state.producerEpoch(),
            time);
    return new Made(buffer, AppendOrigin.COORDINATOR, leaderEpoch, new long[] {time}, commit);
  }

  private long[] fill(RecordBatchBuilder builder) {
    builder.compression(CODECS[random.nextInt(3) == 0 ? random.nextInt(CODECS.length) : 0]);
    long[] times = new long[1 + random.nextInt(3)];
    // Often of one size, so that a batch can lie exactly where another one lay before.
    byte[] value = new byte[random.nextBoolean() ? 20 : random.nextInt(250)];
    for (int i = 0; i < times.length; i++) {
      times[i] = time();
      random.nextBytes(value);
      builder.append(times[i], null, ByteBuffer.wrap(value));
    }
    return times;
  }

  private long time() {
    return firstTimeMs + random.nextInt(100_000);
  }
}
