package io.weirmq.client.ipc;

import io.weirmq.storage.record.RecordBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a publisher, from the first record to the answer, and back.
 *
 * <pre>
 *   spare --begin--&gt; current --seal--&gt; sealed --moveToSent--&gt; sent --recycle--&gt; spare
 *                                        ^                     |
 *                                        +------- putBack -----+   the connection has ended
 * </pre>
 *
 * <p>Sequence numbers are given when a batch is sealed and stay with it, however often it is sent.
 * Bounded by the publisher's memory. Confined to whoever has the publisher's {@link Turn}.
 */
final class PublisherBatches {

  private final int batchBytesMax;
  private final int batchesMax;

  private final ArrayDeque<OutgoingBatch> spare = new ArrayDeque<>();
  private final ArrayDeque<OutgoingBatch> sealed = new ArrayDeque<>();
  private final ArrayDeque<OutgoingBatch> sent = new ArrayDeque<>();
  private @Nullable OutgoingBatch current;
  private int batchCount;
  private int nextSequence;
  private long nextToken;

  /**
   * Makes room for none yet.
   *
   * @param bufferedBytesMax memory for all batches; it is taken when it is needed
   */
  PublisherBatches(int batchBytesMax, long bufferedBytesMax) {
    this.batchBytesMax = batchBytesMax;
    this.batchesMax = (int) Math.min(Integer.MAX_VALUE, bufferedBytesMax / batchBytesMax);
  }

  /** The batch that records gather in; null where there is none now. */
  @Nullable OutgoingBatch current() {
    return current;
  }

  /** The current batch, in which a record is claimed. */
  OutgoingBatch claimed() {
    OutgoingBatch batch = current;
    if (batch == null) {
      throw new IllegalStateException("nothing is claimed");
    }
    return batch;
  }

  /** The token of the record that is committed next. */
  long nextToken() {
    OutgoingBatch open = current;
    return open == null ? nextToken : open.nextToken();
  }

  /**
   * Begins a batch, which is the current one then; null where all memory is in use.
   *
   * @throws OutOfMemoryError where the process has no direct memory left; nothing has changed then
   */
  @Nullable OutgoingBatch begin() {
    OutgoingBatch fresh = takeSpare();
    if (fresh != null) {
      fresh.begin(nextToken);
      current = fresh;
    }
    return fresh;
  }

  private @Nullable OutgoingBatch takeSpare() {
    // Not the first, which a transport may still hold; one that no transport holds any more.
    for (int i = spare.size(); i > 0; i--) {
      OutgoingBatch batch = spare.remove();
      if (!batch.isLent()) {
        return batch;
      }
      spare.add(batch);
    }
    if (batchCount < batchesMax) {
      OutgoingBatch fresh = new OutgoingBatch(batchBytesMax);
      batchCount++; // not before: there may be no memory for it
      return fresh;
    }
    return null;
  }

  /** Ends the current batch. */
  void seal(ClusterLookup.@Nullable ProducerIdentity identity) {
    OutgoingBatch batch = claimed();
    if (identity != null) {
      batch.seal(identity.id(), identity.epoch(), nextSequence);
      nextSequence = RecordBatch.incrementSequence(nextSequence, batch.recordCount());
    } else {
      batch.seal(
          RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE);
    }
    nextToken = batch.nextToken();
    sealed.add(batch);
    current = null;
  }

  /** Whether some wait to be sent. */
  boolean hasSealed() {
    return !sealed.isEmpty();
  }

  /** Takes the batch that is to be sent next; there must be one. */
  OutgoingBatch moveToSent() {
    OutgoingBatch next = sealed.remove();
    sent.add(next);
    return next;
  }

  /** The number of batches that were sent and not recycled yet. */
  int sentCount() {
    return sent.size();
  }

  /** As {@link #sentCount}, without one whose answer is there and was not looked at yet. */
  int unansweredCount() {
    OutgoingBatch head = sent.peek();
    return head != null && head.isDone() ? sent.size() - 1 : sent.size();
  }

  /** Takes back what is done. */
  void recycle() {
    for (OutgoingBatch head = sent.peek(); head != null && head.isDone(); head = sent.peek()) {
      spare.add(sent.remove());
    }
  }

  /**
   * Puts what was sent on a connection that has ended back in front of the rest. What the leader
   * has is not to be sent again, but for the last batch of it: that the broker knows as a
   * repetition, and answers when the promise holds for it, and so for all before it. Sending those,
   * too, would not do: after a restart the leader remembers the last batch of a producer only, so
   * that it would take an earlier one for a gap.
   *
   * @param lastSequence what the leader has, {@link RecordBatch#NO_SEQUENCE} for nothing
   */
  void putBack(int lastSequence) {
    recycle();
    for (OutgoingBatch last = sent.pollLast(); last != null; last = sent.pollLast()) {
      last.answersFor(List.of());
      sealed.addFirst(last);
    }
    List<OutgoingBatch> covered = new ArrayList<>(PublisherOptions.REQUESTS_IN_FLIGHT_MAX);
    for (OutgoingBatch batch : sealed) {
      if (!batch.isCoveredBy(lastSequence)) {
        break;
      }
      covered.add(batch);
    }
    for (int i = 0; i < covered.size() - 1; i++) {
      sent.add(sealed.remove());
    }
    if (!covered.isEmpty()) {
      OutgoingBatch repeated = covered.remove(covered.size() - 1);
      repeated.answersFor(covered);
    }
  }

  /** Gives up what was sent on a connection that has ended. */
  void loseSent(Consumer<OutgoingBatch> loser) {
    recycle();
    for (OutgoingBatch lost = sent.poll(); lost != null; lost = sent.poll()) {
      loser.accept(lost);
      spare.add(lost);
    }
  }
}
