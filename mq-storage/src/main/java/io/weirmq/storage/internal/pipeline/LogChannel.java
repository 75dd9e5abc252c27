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
import io.weirmq.storage.internal.validate.BatchValidator;
import io.weirmq.storage.internal.validate.ValidationOutcome;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The way of one log into the ring: validates on the calling thread and publishes.
 *
 * <p>Safe for use by several threads, but for the fields below the line, which are the writer's.
 */
final class LogChannel implements LogAppender {

  private final WritableLog log;
  private final AppendTarget target;
  private final AppendListener listener;
  private final AppendRing ring;
  private final PipelineState state;
  private final BatchValidator validator;
  private final InstantSource clock;
  private final Detachments detachments;
  private final AtomicReference<@Nullable CompletableFuture<Void>> detached =
      new AtomicReference<>();

  // ---- confined to the writer ----
  private boolean isReleased;
  private boolean isTouched;
  private boolean hasGrown;
  private @Nullable StorageException commitFailure;
  private @Nullable StorageException flushFailure;

  LogChannel(
      WritableLog log,
      AppendListener listener,
      AppendRing ring,
      PipelineState state,
      BatchValidator validator,
      InstantSource clock,
      Detachments detachments) {
    this.log = log;
    this.target = log.appendTarget();
    this.listener = listener;
    this.ring = ring;
    this.state = state;
    this.validator = validator;
    this.clock = clock;
    this.detachments = detachments;
  }

  @Override
  public boolean tryAppend(AppendRequest request, AppendCallback callback) {
    RejectedAppendException refusal = refusal();
    if (refusal != null) {
      callback.onResult(new AppendResult.Failed(refusal));
      return true;
    }
    // Before the work of validating; whether there is still room afterwards is seen below.
    if (!ring.hasRoom()) {
      return false;
    }
    ValidationOutcome outcome =
        validator.validate(
            log.topicPartition(),
            request.records(),
            request.origin(),
            log.config(),
            clock.millis());
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
  public CompletableFuture<Void> detach() {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    CompletableFuture<Void> before = detached.compareAndExchange(null, outcome);
    if (before != null) {
      return before;
    }
    detachments.add(this, outcome);
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

  AppendListener listener() {
    return listener;
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
    flushFailure = null;
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

  @Nullable StorageException flushFailure() {
    return flushFailure;
  }

  void flushFailed(StorageException cause) {
    flushFailure = cause;
  }
}
