package io.weirmq.client.ipc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has become of a publisher's records, and who waits for it.
 *
 * <p>Read by any thread. Batches are settled by one thread at a time, in order: the I/O thread of
 * the connection, or whoever has the turn after that has ended.
 */
final class AppendProgress {

  private static final Logger LOG = LoggerFactory.getLogger(AppendProgress.class);

  private final AppendListener listener;
  private final LongSupplier nanoClock;

  /** The records whose outcome is known, without a gap: acknowledged or dropped. */
  private volatile long settledCount;

  private volatile long lastAppendedOffset = -1;
  private final AtomicLong droppedCount = new AtomicLong();
  private volatile @Nullable IpcException failure;
  private volatile @Nullable IpcException end;

  private final Object change = new Object();
  private volatile int waiters;

  AppendProgress(AppendListener listener, LongSupplier nanoClock) {
    this.listener = listener;
    this.nanoClock = nanoClock;
  }

  /**
   * Takes an acknowledgement, which is also that of the batches that this one answers for.
   *
   * @param baseOffset offset of the batch, -1 where it is not known
   */
  void acknowledge(OutgoingBatch batch, long baseOffset) {
    for (OutgoingBatch earlier : batch.answeredBefore()) {
      settle(earlier, -1);
    }
    settle(batch, baseOffset);
  }

  private void settle(OutgoingBatch batch, long baseOffset) {
    long firstToken = batch.firstToken();
    int count = batch.recordCount();
    if (baseOffset >= 0) {
      lastAppendedOffset = baseOffset + count - 1;
    }
    settledCount = firstToken + count;
    batch.finish();
    try {
      listener.onAppended(firstToken, count, baseOffset);
    } catch (RuntimeException | Error e) {
      // It is the caller's, and no reason to cut the connection.
      LOG.error(
          "the listener of the publisher has failed at {} records from token {}, offset {}",
          count,
          firstToken,
          baseOffset,
          e);
    } finally {
      wakeWaiters();
    }
  }

  /** Waits for a batch no more. */
  void drop(OutgoingBatch batch) {
    droppedCount.addAndGet(batch.recordCount());
    settledCount = batch.nextToken();
    batch.finish();
    wakeWaiters();
  }

  /** Nothing more is settled. */
  void fail(IpcException cause) {
    failure = cause;
    wakeWaiters();
  }

  /** Nobody is to wait any more, though nothing has failed. */
  void end(IpcException cause) {
    end = cause;
    wakeWaiters();
  }

  long settledCount() {
    return settledCount;
  }

  long lastAppendedOffset() {
    return lastAppendedOffset;
  }

  long droppedCount() {
    return droppedCount.get();
  }

  @Nullable IpcException failure() {
    return failure;
  }

  /** See {@link IpcPublisher#awaitAppended}. */
  boolean await(long token, Duration timeout) throws IpcException, InterruptedException {
    if (settledCount > token) {
      return true;
    }
    long startNs = nanoClock.getAsLong();
    synchronized (change) {
      waiters++;
      try {
        while (settledCount <= token) {
          IpcException cause = failure != null ? failure : end;
          if (cause != null) {
            throw new IpcException(String.valueOf(cause.getMessage()), cause);
          }
          long leftNs = Nanos.of(timeout) - (nanoClock.getAsLong() - startNs);
          if (leftNs <= 0) {
            return false;
          }
          TimeUnit.NANOSECONDS.timedWait(change, leftNs);
        }
        return true;
      } finally {
        waiters--;
      }
    }
  }

  private void wakeWaiters() {
    if (waiters > 0) {
      synchronized (change) {
        change.notifyAll();
      }
    }
  }
}
