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
 *                                        +------- putBack -----+   connection ended, or refused
 * </pre>
 *
 * <p>Sequence numbers are given when a batch is sealed and stay with it, however often it is sent.
 * What was never sent gets others where the publisher takes another identity. Bounded by the
 * publisher's memory. Confined to whoever has the publisher's {@link Turn}.
 */
final class PublisherBatches {

  private final int batchBytesMax;
  private final int batchesMax;

  private final ArrayDeque<OutgoingBatch> spare = new ArrayDeque<>();
  private final ArrayDeque<OutgoingBatch> sealed = new ArrayDeque<>();
  private final ArrayDeque<OutgoingBatch> sent = new ArrayDeque<>();
  private @Nullable OutgoingBatch current;
  private int batchCount;

  /** How many at the head of those sent are not sent again, see {@link #putBack}. */
  private int spokenForCount;

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
  void seal(@Nullable ProducerIdentity identity) {
    OutgoingBatch batch = claimed();
    number(batch, identity);
    nextToken = batch.nextToken();
    sealed.add(batch);
    current = null;
  }

  private void number(OutgoingBatch batch, @Nullable ProducerIdentity identity) {
    if (identity != null) {
      batch.seal(identity.id(), identity.epoch(), nextSequence);
      nextSequence = RecordBatch.incrementSequence(nextSequence, batch.recordCount());
    } else {
      batch.seal(
          RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE);
    }
  }

  /** Gives what waits to be sent, and never was, another identity and sequences from 0 on. */
  void renumber(@Nullable ProducerIdentity identity) {
    nextSequence = 0;
    for (OutgoingBatch batch : sealed) {
      number(batch, identity);
    }
  }

  /** Whether a leader may have some that are not acknowledged. */
  boolean isInDoubt() {
    OutgoingBatch next = sealed.peek(); // those that were sent are in front of the others
    return !sent.isEmpty() || (next != null && next.wasEverSent());
  }

  /** Whether some wait to be sent. */
  boolean hasSealed() {
    return !sealed.isEmpty();
  }

  /** Takes the batch that is to be sent next; there must be one. */
  OutgoingBatch moveToSent() {
    OutgoingBatch next = sealed.remove();
    next.sending();
    sent.add(next);
    return next;
  }

  /** The number of batches that were sent and not recycled yet. */
  int sentCount() {
    return sent.size();
  }

  /** Whether no answer is waited for: what was sent is nothing, or was not sent again. */
  boolean isNoneInFlight() {
    return sent.size() == spokenForCount;
  }

  /**
   * Whether the batch that is to be answered or sent next was refused before it was written, so
   * that none is to be under way beside it.
   */
  boolean isRefusedOneNext() {
    return isRefused(sent.peek()) || isRefused(sealed.peek());
  }

  private static boolean isRefused(@Nullable OutgoingBatch batch) {
    return batch != null && batch.isRefusedBeforeAppend() && !batch.isDone();
  }

  /** Whether no answer is still to come to what was sent. */
  boolean isAnswered() {
    for (OutgoingBatch batch : sent) {
      if (!batch.isAnswered()) {
        return false;
      }
    }
    return true;
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
      spokenForCount = Math.max(0, spokenForCount - 1);
    }
  }

  /**
   * Puts what was sent on a connection that has ended back in front of the rest. What the leader
   * has is not to be sent again, but for the last batch of it: that the broker knows as a
   * repetition, and answers when the promise holds for it, and so for all before it. Sending those,
   * too, would not do: after a restart the leader remembers the last batch of a producer only, so
   * that it would take an earlier one for a gap.
   *
   * <p>A later sequence number does not prove that the leader has a batch that it has refused: a
   * broker that knows nothing of a producer takes any sequence. Such a batch and all behind it go
   * again; a broker that lacks it finds a gap now.
   *
   * @param lastSequence what the leader has, {@link RecordBatch#NO_SEQUENCE} for nothing
   */
  void putBack(int lastSequence) {
    unsend();
    boolean known = true;
    for (OutgoingBatch batch : sealed) {
      known &= !batch.isRefusedBeforeAppend() && batch.isCoveredBy(lastSequence);
      batch.locate(known);
    }
    holdBackWhatIsKnown();
  }

  /** Puts what was refused on a connection that stands, and all behind it, back in the same way. */
  void sendAgain() {
    unsend();
    holdBackWhatIsKnown();
  }

  private void unsend() {
    recycle();
    for (OutgoingBatch last = sent.pollLast(); last != null; last = sent.pollLast()) {
      last.answersFor(List.of());
      sealed.addFirst(last);
    }
  }

  private void holdBackWhatIsKnown() {
    List<OutgoingBatch> known = new ArrayList<>(PublisherOptions.REQUESTS_IN_FLIGHT_MAX);
    for (OutgoingBatch batch : sealed) {
      if (!batch.isKnownToLeader()) {
        break;
      }
      known.add(batch);
    }
    spokenForCount = Math.max(0, known.size() - 1);
    for (int i = 0; i < spokenForCount; i++) {
      OutgoingBatch spokenFor = sealed.remove();
      spokenFor.expectNoAnswer();
      sent.add(spokenFor);
    }
    if (!known.isEmpty()) {
      OutgoingBatch repeated = known.remove(known.size() - 1);
      repeated.answersFor(known);
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
