package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.AppendCallback;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.StorageException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The appends of one log that are written and wait for the disk, in the order in which they are to
 * be answered.
 *
 * <p>They have left the ring, so what is needed of them is kept here, in arrays that grow to what
 * the log needs and are used again. What comes behind a parked append waits with it, also where it
 * was refused, so that a log's answers keep their order.
 *
 * <p>Bounded: from {@code parkedMax} on {@link #isFull()} tells callers to bring nothing more; what
 * is in the ring by then is parked all the same. Confined to the pipeline's writer, but for {@link
 * #isFull()}.
 */
final class ParkedAppends {

  private static final Logger LOG = LoggerFactory.getLogger(ParkedAppends.class);

  private static final int FIRST_CAPACITY = 16;

  private final int parkedMax;

  // A circle; the capacity is a power of two.
  private @Nullable AppendCallback[] callbacks = new @Nullable AppendCallback[0];
  private @Nullable AppendResult[] results = new @Nullable AppendResult[0];
  private int[] generations = new int[0];
  private int first;

  /** Written by the writer only. */
  private volatile int count;

  ParkedAppends(int parkedMax) {
    this.parkedMax = parkedMax;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Whether the log has to wait before it takes more. For any thread. */
  boolean isFull() {
    return count >= parkedMax;
  }

  /** The number of appends that may come before {@link #isFull()}. For any thread. */
  int room() {
    return Math.max(0, parkedMax - count);
  }

  /**
   * Parks an append.
   *
   * @param generation of the log, see {@link io.weirmq.storage.internal.FlushTarget#generation()}
   */
  void park(AppendCallback callback, AppendResult result, int generation) {
    int parked = count;
    if (parked == callbacks.length) {
      grow(parked);
    }
    int slot = (first + parked) & (callbacks.length - 1);
    callbacks[slot] = callback;
    results[slot] = result;
    generations[slot] = generation;
    count = parked + 1;
  }

  private void grow(int parked) {
    int capacity = Math.max(FIRST_CAPACITY, parked * 2);
    @Nullable AppendCallback[] moreCallbacks = new @Nullable AppendCallback[capacity];
    @Nullable AppendResult[] moreResults = new @Nullable AppendResult[capacity];
    int[] moreGenerations = new int[capacity];
    for (int i = 0; i < parked; i++) {
      int slot = (first + i) & (callbacks.length - 1);
      moreCallbacks[i] = callbacks[slot];
      moreResults[i] = results[slot];
      moreGenerations[i] = generations[slot];
    }
    callbacks = moreCallbacks;
    results = moreResults;
    generations = moreGenerations;
    first = 0;
  }

  /** Answers from the first on, up to one that isn't settled. */
  void answerSettled(long settledOffset, int generation) {
    while (count > 0) {
      AppendResult result = Objects.requireNonNull(results[first]);
      boolean written = lastOffset(result) >= 0;
      if (written && generations[first] != generation) {
        answerFirst(
            new AppendResult.Failed(
                new StorageException("the log was cut while the append waited for the disk")));
      } else if (lastOffset(result) < settledOffset) {
        answerFirst(result);
      } else {
        return;
      }
    }
  }

  /** Fails all that were written; those that were refused keep their answers. */
  void failAll(StorageException cause) {
    while (count > 0) {
      AppendResult result = Objects.requireNonNull(results[first]);
      answerFirst(lastOffset(result) >= 0 ? new AppendResult.Failed(cause) : result);
    }
  }

  private void answerFirst(AppendResult result) {
    AppendCallback callback = Objects.requireNonNull(callbacks[first]);
    callbacks[first] = null;
    results[first] = null;
    first = (first + 1) & (callbacks.length - 1);
    decrementCount();
    answer(callback, result);
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  private void decrementCount() {
    count--;
  }

  /** Tells an outcome; a callback that throws is logged. */
  static void answer(AppendCallback callback, AppendResult result) {
    try {
      callback.onResult(result);
    } catch (RuntimeException e) {
      LOG.error("the callback of an append failed", e);
    }
  }

  /** The last offset of a batch that is in the log; -1 for one that is not. */
  static long lastOffset(AppendResult result) {
    if (result instanceof AppendResult.Appended appended) {
      return appended.lastOffset();
    }
    return result instanceof AppendResult.Duplicate duplicate ? duplicate.lastOffset() : -1;
  }
}
