package io.weirmq.server.internal.offsetslog;

import io.weirmq.replication.Partition;
import io.weirmq.replication.ProduceResult;
import io.weirmq.replication.ProduceResult.Accepted;
import io.weirmq.replication.ProduceResult.Refused;
import io.weirmq.replication.ProduceResult.StorageFailed;
import io.weirmq.server.internal.group.OffsetsLogException;
import io.weirmq.server.internal.partition.ProduceErrors;
import io.weirmq.storage.AppendOrigin;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The appends to one partition: they enter the pipeline in the order of the calls, also where it
 * was full, and they complete in that order, one at a time.
 *
 * <p>Safe for use by several threads. How many may wait is bounded by the coordinator, whose calls
 * they are.
 */
final class OrderedAppends {

  private final Partition partition;

  /** Not taken by the pipeline yet. */
  private final ArrayDeque<Append> toSubmit = new ArrayDeque<>();

  /** All that have not completed, in the order of the calls. */
  private final ArrayDeque<Append> toComplete = new ArrayDeque<>();

  private boolean submitting;
  private boolean completing;

  OrderedAppends(Partition partition) {
    this.partition = partition;
  }

  /** The partition that is appended to. */
  Partition partition() {
    return partition;
  }

  /**
   * Appends a batch.
   *
   * @param batch transferred
   */
  CompletionStage<@Nullable Void> append(ByteBuffer batch) {
    Append append = new Append(batch);
    synchronized (this) {
      toSubmit.add(append);
      toComplete.add(append);
    }
    submit();
    return append.done;
  }

  private void submit() {
    synchronized (this) {
      if (submitting) {
        return; // whoever does it goes on with ours
      }
      submitting = true;
    }
    Append next = nextToSubmit();
    while (next != null) {
      Append append = next;
      boolean taken =
          partition.tryAppend(
              append.batch,
              AppendOrigin.COORDINATOR,
              Partition.ACKS_ALL,
              result -> settle(append, result));
      if (!taken) {
        // Still marked as submitting: nobody else may overtake.
        partition.whenWritable(this::submitAgain);
        return;
      }
      next = submitted();
    }
  }

  private void submitAgain() {
    synchronized (this) {
      submitting = false;
    }
    submit();
  }

  private synchronized @Nullable Append nextToSubmit() {
    Append next = toSubmit.peek();
    submitting = next != null;
    return next;
  }

  private synchronized @Nullable Append submitted() {
    toSubmit.remove();
    return nextToSubmit();
  }

  private void settle(Append append, ProduceResult result) {
    append.result = result;
    Append next = nextToComplete(false);
    while (next != null) {
      next.complete();
      next = nextToComplete(true);
    }
  }

  private synchronized @Nullable Append nextToComplete(boolean mine) {
    if (completing && !mine) {
      return null; // whoever does it goes on with ours
    }
    Append head = toComplete.peek();
    completing = head != null && head.result != null;
    return completing ? toComplete.poll() : null;
  }

  /** One batch on its way. */
  private final class Append {
    private final ByteBuffer batch;
    private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    private volatile @Nullable ProduceResult result;

    Append(ByteBuffer batch) {
      this.batch = batch;
    }

    void complete() {
      ProduceResult outcome = result;
      if (outcome == null || outcome instanceof Accepted) {
        done.complete(null);
      } else {
        done.completeExceptionally(
            new OffsetsLogException(
                ProduceErrors.of(outcome), partition.topicPartition() + ": " + cause(outcome)));
      }
    }
  }

  private static String cause(ProduceResult outcome) {
    if (outcome instanceof Refused refused) {
      return refused.rejection().message();
    } else if (outcome instanceof StorageFailed failed) {
      return String.valueOf(failed.cause().getMessage());
    }
    return outcome.toString();
  }
}
