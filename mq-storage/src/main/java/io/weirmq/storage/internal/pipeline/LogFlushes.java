package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.AppendCallback;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.FlushTarget.Demand;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The flushes of one log, and the appends that wait for them.
 *
 * <pre>
 *   at rest ──append has to wait, or the log demands──▶ under way (a flush thread forces)
 *      ▲                                                   │ appends go on and are parked
 *      └──nothing is parked, nothing demanded── writer: answer what is settled ──▶ again
 * </pre>
 *
 * <p>One force serves all that were written when it began; those that come meanwhile share the next
 * one. That is group commit: its size follows from how long the disk takes.
 *
 * <p>Invariant: while an append is parked, a flush is under way. Confined to the pipeline's writer,
 * but for {@link #run}, which belongs to a flush thread between {@link FlushThreads#start} and
 * {@link FlushThreads#handBack}.
 */
final class LogFlushes implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(LogFlushes.class);

  private final LogChannel channel;
  private final FlushTarget target;
  private final FlushThreads threads;
  private final ParkedAppends parked;

  private boolean isUnderWay;
  private long settledOffset;

  // Handed to the flush thread and back.
  private Demand reach = Demand.NONE;
  private @Nullable Throwable failure;

  LogFlushes(LogChannel channel, FlushTarget target, FlushThreads threads, int parkedMax) {
    this.channel = channel;
    this.target = target;
    this.threads = threads;
    this.parked = new ParkedAppends(parkedMax);
  }

  LogChannel channel() {
    return channel;
  }

  /** The appends that wait; see there for what other threads may ask. */
  ParkedAppends parked() {
    return parked;
  }

  /** Whether no thread has to do with the log on behalf of its flushes. */
  boolean isAtRest() {
    return !isUnderWay;
  }

  /** Looks how far the log is settled, after a commit and before its appends are answered. */
  void onCommitted() {
    settledOffset = target.settledOffset();
  }

  /** Answers an append, now or once the disk is as far as the log's flush policy asks for. */
  void answer(AppendCallback callback, AppendResult result) {
    if (parked.isEmpty() && ParkedAppends.lastOffset(result) < settledOffset) {
      ParkedAppends.answer(callback, result);
    } else {
      parked.park(callback, result, target.generation());
    }
  }

  /** Starts a flush where one is wanted and none is under way. */
  void startWhereDue(long nowMs) {
    if (isUnderWay) {
      return;
    }
    Demand demand = parked.isEmpty() ? target.demand(nowMs) : Demand.ALL;
    if (demand != Demand.NONE) {
      isUnderWay = true;
      reach = demand;
      failure = null;
      threads.start(this);
    }
  }

  /** Forces the log; on a flush thread. Nothing that is thrown gets lost. */
  @Override
  public void run() {
    try {
      target.flush(reach);
    } catch (Throwable e) {
      failure = e;
    }
    threads.handBack(this);
  }

  /**
   * Takes a flush back: tells the listener where more is settled now, answers those that waited for
   * it, and fails the rest where the flush failed.
   *
   * @return whether the flush succeeded; where not, the next append may start another
   * @throws Error where the flush thread met one
   */
  boolean finish() {
    Throwable cause = comeToRest();
    if (cause instanceof Error error) {
      throw error;
    }
    long settledBefore = settledOffset;
    onCommitted();
    if (settledOffset > settledBefore && !channel.isReleased()) {
      channel.tellListener();
    }
    parked.answerSettled(settledOffset, target.generation());
    if (cause != null) {
      parked.failAll(asStorageException(cause));
    }
    channel.wakeWaiters();
    return cause == null;
  }

  /** Takes a flush back, for {@link #finish} or for a pipeline that has failed. */
  @Nullable Throwable comeToRest() {
    Throwable cause = failure;
    failure = null;
    isUnderWay = false;
    return cause;
  }

  /** Fails all that wait, where the pipeline ends by an error. */
  void refuse(StorageException cause) {
    try {
      parked.failAll(cause);
    } catch (Error e) {
      LOG.error("the callback of an append failed", e);
    }
    channel.wakeWaiters();
  }

  private StorageException asStorageException(Throwable cause) {
    if (cause instanceof StorageException known) {
      return known;
    }
    LOG.error("flushing {} failed", channel.log().topicPartition(), cause);
    return new StorageException(
        "%s: flushing failed unexpectedly: %s".formatted(channel.log().topicPartition(), cause),
        cause);
  }
}
