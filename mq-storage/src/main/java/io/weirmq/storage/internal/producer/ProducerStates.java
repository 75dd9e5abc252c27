package io.weirmq.storage.internal.producer;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult.RejectReason;
import io.weirmq.storage.ProducerSummary;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.record.CorruptBatchException;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The idempotent and transactional producers of one log.
 *
 * <p>A batch goes through three steps, so that nothing is remembered of what was not written:
 *
 * <pre>
 *   check(batch)   against what is committed and what is staged; changes nothing
 *   stage(batch)   with its offsets; visible to later checks only
 *   commit() after the write has succeeded, discard() after it failed
 * </pre>
 *
 * <p>Rules for batches of clients: an older epoch is refused; a newer one begins at sequence 0; a
 * batch equal to one of the last five is a repetition, and that is looked at before gaps; otherwise
 * the sequence must follow the last one, wrapping from 2^31-1 to 0; where nothing is known of a
 * producer, any sequence is accepted, for retention may have removed it. Coordinators are checked
 * for epochs only. What a leader sends is not checked but tracked, so that a follower computes the
 * same last stable offset.
 *
 * <p>Invariants: the last stable offset is at most the first offset of each transaction that is
 * open, or whose marker lies at or above the high watermark. A producer with an open transaction is
 * never forgotten.
 *
 * <p>Memory: about 220 bytes per producer; those idle for {@code producer.id.expiration.ms} are
 * forgotten, and above {@code producersMax} the longest idle sixteenth is, as if it had expired.
 *
 * <p>Single writer, many readers: {@link #summaries()} may be called by any thread, everything else
 * belongs to the log's writer.
 */
public final class ProducerStates {

  /** Producers per log that are remembered by default: 44 MB of heap. */
  public static final int PRODUCERS_MAX_DEFAULT = 200_000;

  /** No offset. */
  public static final long NO_OFFSET = ProducerState.NONE;

  private static final int SPARES_MAX = 64;

  private final TopicPartition partition;
  private final int producersMax;

  // Guarded by itself where the writer changes it and where other threads read it; the writer
  // reads it freely. States in it never change: commit replaces them.
  private final Map<Long, ProducerState> committed = new HashMap<>();
  private final Map<Long, ProducerState> staged = new HashMap<>();
  private final Deque<ProducerState> spares = new ArrayDeque<>(0);
  private final List<CompletedTransaction> stagedCompletions = new ArrayList<>(0);
  private final UndecidedTransactions undecided = new UndecidedTransactions();

  /** Makes an empty set of producers. */
  public ProducerStates(TopicPartition partition) {
    this(partition, PRODUCERS_MAX_DEFAULT);
  }

  /**
   * Makes an empty set of producers.
   *
   * @param producersMax producers that are remembered, 16 or more; those with an open transaction
   *     are kept also above it
   */
  public ProducerStates(TopicPartition partition, int producersMax) {
    if (producersMax < 16) {
      throw new IllegalArgumentException("producersMax is " + producersMax + "; at least 16");
    }
    this.partition = partition;
    this.producersMax = producersMax;
  }

  /**
   * Looks whether a batch may be appended. Batches without a producer id always may.
   *
   * @param batch validated by itself
   * @throws CorruptBatchException where it is a control batch whose record breaks the format
   */
  public SequenceCheck check(RecordBatch batch, AppendOrigin origin) throws CorruptBatchException {
    if (!batch.hasProducerId() || origin == AppendOrigin.REPLICATION) {
      return SequenceCheck.Fits.INSTANCE;
    }
    ProducerState state = find(batch.producerId());
    if (state == null) {
      return SequenceCheck.Fits.INSTANCE;
    }
    if (origin == AppendOrigin.CLIENT && state.epoch() == batch.producerEpoch()) {
      int repeated = state.indexOf(batch.baseSequence(), batch.lastSequence());
      if (repeated >= 0) {
        return new SequenceCheck.Repeated(
            state.baseOffset(repeated), state.lastOffset(repeated), state.timestampMs(repeated));
      }
    }
    if (batch.producerEpoch() < state.epoch()) {
      return refuse(RejectReason.INVALID_PRODUCER_EPOCH, batch, "epoch", state.epoch(), "at least");
    }
    return batch.isControl()
        ? checkMarker(batch, state)
        : checkData(batch, state, origin == AppendOrigin.CLIENT);
  }

  /**
   * Remembers a batch until {@link #commit()} or {@link #discard()}.
   *
   * @param batch with the offsets that it has in the log
   * @return the transaction that it ends, where it is a marker and the log has data of it
   * @throws CorruptBatchException where it is a control batch whose record breaks the format
   */
  public Optional<CompletedTransaction> stage(RecordBatch batch) throws CorruptBatchException {
    if (!batch.hasProducerId()) {
      return Optional.empty();
    }
    if (batch.isControl()) {
      return stageMarker(batch);
    }
    ProducerState state = stagedState(batch.producerId());
    state.epoch(batch.producerEpoch());
    state.addBatch(
        batch.lastSequence(), batch.lastOffset(), batch.lastOffsetDelta(), batch.maxTimestamp());
    if (batch.isTransactional() && !state.hasOpenTransaction()) {
      state.beginTransaction(batch.baseOffset());
    }
    return Optional.empty();
  }

  /** Makes all that is staged the truth. */
  public void commit() {
    if (staged.isEmpty()) {
      return;
    }
    synchronized (committed) {
      for (ProducerState next : staged.values()) {
        ProducerState before = committed.put(next.producerId(), next);
        if (before != null) {
          undecided.close(before);
          recycle(before);
        }
        undecided.open(next);
      }
      stagedCompletions.forEach(undecided::complete);
      staged.clear();
      stagedCompletions.clear();
      if (committed.size() > producersMax) {
        evictLongestIdle();
      }
    }
  }

  /** Forgets all that is staged. */
  public void discard() {
    staged.values().forEach(this::recycle);
    staged.clear();
    stagedCompletions.clear();
  }

  /**
   * Takes over a batch that is in the log already, as recovery does.
   *
   * @return the transaction that it ends, see {@link #stage}
   * @throws CorruptBatchException where it is a control batch whose record breaks the format
   */
  public Optional<CompletedTransaction> replay(RecordBatch batch) throws CorruptBatchException {
    Optional<CompletedTransaction> completed = stage(batch);
    commit();
    return completed;
  }

  /**
   * The first offset that is not stable: of a transaction that is open, or whose marker is not
   * below the high watermark. {@link #NO_OFFSET} where there is none.
   */
  public long firstUnstableOffset() {
    return undecided.firstUnstableOffset();
  }

  /** The last stable offset under a high watermark: the smaller of it and the first unstable. */
  public long lastStableOffset(long highWatermark) {
    long unstable = undecided.firstUnstableOffset();
    return unstable == NO_OFFSET ? highWatermark : Math.min(unstable, highWatermark);
  }

  /**
   * The last stable offset once a transaction's marker is replicated, which stands in the
   * transaction index: the first offset of the earliest open one of another producer, else the
   * offset behind the marker. What is staged counts: the marker may be committed in one write with
   * the batches before it.
   */
  public long lastStableOffsetBehind(CompletedTransaction completed) {
    long own = completed.producerId();
    long open = undecided.firstOpenExcept(id -> id == own || staged.containsKey(id));
    long stable = open == NO_OFFSET ? completed.lastOffset() + 1 : open;
    for (ProducerState state : staged.values()) {
      if (state.producerId() != own && state.hasOpenTransaction()) {
        stable = Math.min(stable, state.transactionFirstOffset());
      }
    }
    return stable;
  }

  /** Lets transactions count as decided whose marker is below the high watermark. */
  public void onHighWatermark(long highWatermark) {
    undecided.replicatedBelow(highWatermark);
  }

  /** Whether a producer has an open transaction, committed to the log. */
  public boolean hasOpenTransaction(long producerId) {
    ProducerState state = committed.get(producerId);
    return state != null && state.hasOpenTransaction();
  }

  /** The number of producers that are remembered. */
  public int size() {
    return committed.size();
  }

  /**
   * Forgets producers without an open transaction whose last batch is old.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   * @param expirationMs {@code producer.id.expiration.ms}
   * @return how many
   */
  public int expire(long nowMs, long expirationMs) {
    int before = committed.size();
    synchronized (committed) {
      committed.values().removeIf(state -> isExpired(state, nowMs, expirationMs));
    }
    return before - committed.size();
  }

  /** What is known of each producer; a copy. Safe for use by several threads. */
  public List<ProducerSummary> summaries() {
    synchronized (committed) {
      return committed.values().stream().map(ProducerState::summary).toList();
    }
  }

  /** Whether no producer is known. */
  public boolean isEmpty() {
    return committed.isEmpty();
  }

  /** What a snapshot keeps, in no particular order; a copy. */
  public List<ProducerSnapshotEntry> snapshot() {
    return committed.values().stream()
        .map(ProducerState::snapshot)
        .collect(Collectors.toUnmodifiableList());
  }

  /** Forgets everything. */
  public void clear() {
    restore(List.of());
  }

  /**
   * Puts what a snapshot kept in place of everything.
   *
   * @param entries at most one per producer
   */
  public void restore(Collection<ProducerSnapshotEntry> entries) {
    discard();
    synchronized (committed) {
      committed.clear();
      undecided.clear();
      for (ProducerSnapshotEntry entry : entries) {
        ProducerState state = new ProducerState().restore(entry);
        committed.put(entry.producerId(), state);
        undecided.open(state);
      }
    }
  }

  private SequenceCheck checkMarker(RecordBatch batch, ProducerState state)
      throws CorruptBatchException {
    Optional<EndTransactionMarker> marker = EndTransactionMarker.read(batch);
    if (marker.isPresent() && marker.get().coordinatorEpoch() < state.coordinatorEpoch()) {
      return new SequenceCheck.Refused(
          RejectReason.TRANSACTION_COORDINATOR_FENCED,
          "%s: marker of producer %d has coordinator epoch %d; expected at least %d"
              .formatted(
                  partition,
                  batch.producerId(),
                  marker.get().coordinatorEpoch(),
                  state.coordinatorEpoch()));
    }
    return SequenceCheck.Fits.INSTANCE;
  }

  private SequenceCheck checkData(RecordBatch batch, ProducerState state, boolean sequences) {
    if (sequences && !state.isNew()) {
      boolean sameEpoch = batch.producerEpoch() == state.epoch();
      int expected = sameEpoch ? RecordBatch.incrementSequence(state.lastSequence(), 1) : 0;
      if (batch.baseSequence() != expected) {
        return refuse(
            RejectReason.OUT_OF_ORDER_SEQUENCE_NUMBER, batch, "sequence", expected, "exactly");
      }
    }
    if (state.hasOpenTransaction() && !batch.isTransactional()) {
      return new SequenceCheck.Refused(
          RejectReason.INVALID_TXN_STATE,
          "%s: producer %d sent a batch outside of its transaction, which is open since offset %d"
              .formatted(partition, batch.producerId(), state.transactionFirstOffset()));
    }
    return SequenceCheck.Fits.INSTANCE;
  }

  private SequenceCheck refuse(
      RejectReason reason, RecordBatch batch, String what, int expected, String bound) {
    int found =
        reason == RejectReason.INVALID_PRODUCER_EPOCH
            ? batch.producerEpoch()
            : batch.baseSequence();
    return new SequenceCheck.Refused(
        reason,
        "%s: batch of producer %d (epoch %d) has %s %d; expected %s %d"
            .formatted(
                partition,
                batch.producerId(),
                batch.producerEpoch(),
                what,
                found,
                bound,
                expected));
  }

  private Optional<CompletedTransaction> stageMarker(RecordBatch batch)
      throws CorruptBatchException {
    Optional<EndTransactionMarker> marker = EndTransactionMarker.read(batch);
    if (marker.isEmpty()) {
      if (batch.recordCount() == 0 && find(batch.producerId()) == null) {
        // All that compaction has left of the producer.
        ProducerState left = stagedState(batch.producerId());
        left.epoch(batch.producerEpoch());
        left.endTransaction(-1, batch.maxTimestamp());
      }
      return Optional.empty();
    }
    ProducerState state = stagedState(batch.producerId());
    long firstOffset = state.transactionFirstOffset();
    state.epoch(batch.producerEpoch());
    state.endTransaction(marker.get().coordinatorEpoch(), batch.maxTimestamp());
    if (firstOffset == NO_OFFSET) {
      return Optional.empty();
    }
    var completed =
        new CompletedTransaction(
            batch.producerId(), firstOffset, batch.lastOffset(), !marker.get().commit());
    stagedCompletions.add(completed);
    return Optional.of(completed);
  }

  private @Nullable ProducerState find(long producerId) {
    ProducerState state = staged.isEmpty() ? null : staged.get(producerId);
    return state != null ? state : committed.get(producerId);
  }

  private ProducerState stagedState(long producerId) {
    ProducerState state = staged.get(producerId);
    if (state == null) {
      ProducerState spare = spares.poll();
      ProducerState fresh = spare != null ? spare : new ProducerState();
      ProducerState known = committed.get(producerId);
      state = known == null ? fresh.reset(producerId) : fresh.copyFrom(known);
      staged.put(producerId, state);
    }
    return state;
  }

  private void recycle(ProducerState state) {
    if (spares.size() < SPARES_MAX) {
      spares.push(state);
    }
  }

  private static boolean isExpired(ProducerState state, long nowMs, long expirationMs) {
    return !state.hasOpenTransaction() && state.lastTimestampMs() <= nowMs - expirationMs;
  }

  /** Removes the longest idle sixteenth, so that a scan pays for many later additions. */
  private void evictLongestIdle() {
    long[] timestamps =
        committed.values().stream()
            .filter(state -> !state.hasOpenTransaction())
            .mapToLong(ProducerState::lastTimestampMs)
            .toArray();
    if (timestamps.length < committed.size() / 16) {
      return;
    }
    Arrays.sort(timestamps);
    int excess = Math.min(timestamps.length, committed.size() - producersMax + producersMax / 16);
    long youngest = timestamps[excess - 1];
    int[] left = {excess};
    committed
        .values()
        .removeIf(
            state ->
                !state.hasOpenTransaction()
                    && state.lastTimestampMs() <= youngest
                    && left[0]-- > 0);
  }
}
