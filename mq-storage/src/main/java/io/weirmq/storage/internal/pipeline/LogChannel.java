package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.AppendCallback;
import io.weirmq.storage.AppendListener;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.RejectedAppendException;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.AppendTarget;
import io.weirmq.storage.internal.WritableLog;
import io.weirmq.storage.internal.validate.ValidationOutcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of one log into the ring: validates on the calling thread and publishes.
 *
 * <p>Safe for use by several threads, but for the fields below the line, which are the writer's.
 */
final class LogChannel implements LogAppender {

  private static final Logger LOG = LoggerFactory.getLogger(LogChannel.class);

  private final WritableLog log;
  private final AppendTarget target;
  private final AppendListener listener;
  private final ChannelEnvironment environment;
  private final AppendRing ring;
  private final PipelineState state;
  private final WritableWaiters parkedWaiters = new WritableWaiters();
  private final LogFlushes flushes;
  private final AtomicReference<@Nullable CompletableFuture<Void>> detached =
      new AtomicReference<>();

  // ---- confined to the writer ----
  private boolean isReleased;
  private boolean isTouched;
  private boolean hasGrown;
  private @Nullable StorageException commitFailure;

  LogChannel(WritableLog log, AppendListener listener, ChannelEnvironment environment) {
    this.log = log;
    this.target = log.appendTarget();
    this.listener = listener;
    this.environment = environment;
    this.ring = environment.ring();
    this.state = environment.state();
    this.flushes =
        new LogFlushes(
            this, target.flushTarget(), environment.flushThreads(), environment.parkedMax());
  }

  @Override
  public boolean tryAppend(AppendRequest request, AppendCallback callback) {
    RejectedAppendException refusal = refusal();
    if (refusal != null) {
      callback.onResult(new AppendResult.Failed(refusal));
      return true;
    }
    // Before the work of validating; whether there is still room afterwards is seen below.
    if (!ring.hasRoom() || flushes.parked().isFull()) {
      return false;
    }
    ValidationOutcome outcome =
        environment
            .validator()
            .validate(
                log.topicPartition(),
                request.records(),
                request.origin(),
                log.config(),
                environment.clock().millis());
    if (outcome instanceof ValidationOutcome.Invalid invalid) {
      callback.onResult(invalid.rejection());
      return true;
    }
    long sequence = ring.tryClaim();
    if (sequence == AppendRing.FULL) {
      return false;
    }
    ring.slot(sequence)
        .setAppend(
            this,
            ((ValidationOutcome.Valid) outcome).batch(),
            request.origin(),
            request.leaderEpoch(),
            callback);
    ring.publish(sequence);
    return true;
  }

  @Override
  public <T> CompletableFuture<T> execute(WriterTask<T> task) {
    QueuedTask<T> queued = new QueuedTask<>(this, task);
    RejectedAppendException refusal = refusal();
    if (refusal != null) {
      queued.fail(refusal);
      return queued.outcome();
    }
    long sequence = ring.tryClaim();
    if (sequence == AppendRing.FULL) {
      queued.fail(state.isClosing() ? state.closedRefusal() : state.fullRefusal(ring.size()));
      return queued.outcome();
    }
    ring.slot(sequence).setTask(queued);
    ring.publish(sequence);
    return queued.outcome();
  }

  @Override
  public void whenWritable(Runnable action) {
    // In both cases: the writer makes room and then looks for waiters; we do it the other way
    // round, so that one of us sees the other.
    if (flushes.parked().isFull()) {
      parkedWaiters.add(action);
      if (!flushes.parked().isFull()) {
        parkedWaiters.run(1);
      }
    } else {
      environment.ringWaiters().add(action);
      if (state.hasEnded() || ring.hasRoom()) {
        environment.ringWaiters().run(1);
      }
    }
  }

  @Override
  public CompletableFuture<Void> detach() {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    CompletableFuture<Void> before = detached.compareAndExchange(null, outcome);
    if (before != null) {
      return before;
    }
    environment.detachments().add(this, outcome);
    return outcome;
  }

  WritableLog log() {
    return log;
  }

  private @Nullable RejectedAppendException refusal() {
    if (state.isClosing()) {
      return state.closedRefusal();
    }
    return detached.get() == null ? null : detachedRefusal();
  }

  RejectedAppendException detachedRefusal() {
    return new RejectedAppendException(
        "%s is detached from pipeline %s".formatted(log.topicPartition(), state.name()), false);
  }

  AppendTarget target() {
    return target;
  }

  LogFlushes flushes() {
    return flushes;
  }

  /** Tells the owner that the log has grown, or that more of it is settled. */
  void tellListener() {
    try {
      listener.onAppended(target);
    } catch (RuntimeException e) {
      // The records are in the log whatever the listener makes of them.
      LOG.error("the append listener of {} failed", log.topicPartition(), e);
    }
  }

  /** Wakes those who wait for parked appends to be answered; all of them once none is parked. */
  void wakeWaiters() {
    if (!parkedWaiters.isEmpty() && !flushes.parked().isFull()) {
      parkedWaiters.run(flushes.parked().isEmpty() ? Long.MAX_VALUE : flushes.parked().room());
    }
  }

  /** Whether the writer has given the log back. */
  boolean isReleased() {
    return isReleased;
  }

  void release() {
    isReleased = true;
  }

  /** Notes that the log is part of the present commit; returns whether it was not before. */
  boolean touch() {
    boolean first = !isTouched;
    isTouched = true;
    return first;
  }

  void untouch() {
    isTouched = false;
    hasGrown = false;
    commitFailure = null;
  }

  boolean hasGrown() {
    return hasGrown;
  }

  void grown() {
    hasGrown = true;
  }

  @Nullable StorageException commitFailure() {
    return commitFailure;
  }

  void commitFailed(StorageException cause) {
    commitFailure = cause;
  }
}
