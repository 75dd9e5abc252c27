package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.AppendCallback;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.FatalErrorHandler;
import io.weirmq.storage.RejectedAppendException;
import io.weirmq.storage.internal.ValidatedBatch;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of the writer thread.
 *
 * <pre>
 *   wait for events ─▶ stage each ─▶ commit, listeners (once per log) ─▶ callbacks in ring order,
 *        ▲                                  or park what waits for the disk ─▶ free the slots ─┐
 *        └── answer what flush threads have settled ◀──────────────────────────────────────────┘
 * </pre>
 *
 * <p>Slots stay claimed until the callbacks have run or are parked, so the events themselves are
 * the list of what waits for the commit. The writer itself never waits for the disk to force
 * anything, but at its end for what is under way.
 *
 * <p>The end is orderly or fatal, and in both cases leaves a <em>sealed</em> ring: once everything
 * that publishers claimed is handled, the writer claims the whole ring itself and never publishes
 * it. A publisher that comes late finds the ring full for ever, so that no event can be published
 * to nobody, at no cost for those who come in time.
 */
final class PipelineWriter implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(PipelineWriter.class);

  /** Waiting actions that run between two groups, so that they don't hold the writer up. */
  private static final int WAKE_UPS_MAX = 64;

  private final AppendRing ring;
  private final PipelineState state;
  private final CommitGroup group;
  private final FlushThreads flushThreads;
  private final Detachments detachments;
  private final WritableWaiters waiters;
  private final InstantSource clock;
  private final FatalErrorHandler fatalErrors;

  // Events below are handled and freed; events from here to the staging one wait for the commit.
  private long firstWaiting = 0;

  PipelineWriter(
      AppendRing ring,
      PipelineState state,
      CommitGroup group,
      FlushThreads flushThreads,
      Detachments detachments,
      WritableWaiters waiters,
      InstantSource clock,
      FatalErrorHandler fatalErrors) {
    this.ring = ring;
    this.state = state;
    this.group = group;
    this.flushThreads = flushThreads;
    this.detachments = detachments;
    this.waiters = waiters;
    this.clock = clock;
    this.fatalErrors = fatalErrors;
  }

  @Override
  public void run() {
    try {
      while (!state.isClosing()) {
        finishFlushes();
        handleThrough(awaitEvents());
      }
      drain();
      flushThreads.awaitAll(this::finishFlush);
      end();
    } catch (Throwable error) {
      die(error);
    }
  }

  /** Returns the last published sequence; below the first waiting one where there is none. */
  private long awaitEvents() {
    if (!ring.isPublished(firstWaiting)) {
      // Nothing to do: whoever waits for room or for a detached log must not wait for an event.
      detachments.complete(firstWaiting - 1);
      waiters.run(WAKE_UPS_MAX);
      if (!waiters.isEmpty()) {
        return firstWaiting - 1;
      }
    }
    try {
      return ring.await(firstWaiting);
    } catch (InterruptedException e) {
      // Nobody has a reason to interrupt the writer; what is queued is handled all the same.
      LOG.warn("the writer of pipeline {} was interrupted and goes on", state.name());
      return firstWaiting - 1;
    }
  }

  private void handleThrough(long available) {
    if (available < firstWaiting) {
      Thread.onSpinWait();
      return;
    }
    long nowMs = clock.millis();
    for (long next = firstWaiting; next <= available; next++) {
      AppendEvent event = ring.slot(next);
      if (event.task() != null) {
        finishGroup(next - 1, nowMs);
        event.task().run();
        event.task().channel().flushes().startWhereDue(nowMs);
        free(next);
      } else {
        stage(event, nowMs);
        if (group.isFull()) {
          finishGroup(next, nowMs);
        }
      }
    }
    finishGroup(available, nowMs);
  }

  private void stage(AppendEvent event, long nowMs) {
    LogChannel channel = event.channel();
    ValidatedBatch batch = event.batch();
    if (channel != null && batch != null) {
      group.stage(event, channel, batch, nowMs);
    }
  }

  /** Commits what is staged, answers the appends up to a sequence, and frees their slots. */
  private void finishGroup(long last, long nowMs) {
    if (last < firstWaiting) {
      return;
    }
    group.commit();
    // Counted by an int, not by the sequence: the optimizing compiler takes such loops as they are,
    // and is done with this method in a fraction of the time.
    int count = (int) (last - firstWaiting + 1);
    for (int i = 0; i < count; i++) {
      decide(ring.slot(firstWaiting + i));
    }
    for (int i = 0; i < count; i++) {
      answer(ring.slot(firstWaiting + i));
    }
    // After the answers: whoever has to wait is parked by now, and counts.
    group.startFlushes(nowMs);
    group.reset();
    free(last);
  }

  private void decide(AppendEvent event) {
    LogChannel channel = event.channel();
    if (channel != null) {
      group.decide(event, channel);
    }
  }

  private static void answer(AppendEvent event) {
    LogChannel channel = event.channel();
    AppendResult result = event.result();
    AppendCallback callback = event.takeCallback();
    if (channel != null && callback != null && result != null) {
      channel.flushes().answer(callback, result);
    }
  }

  private void finishFlushes() {
    if (flushThreads.hasFinished()) {
      flushThreads.takeFinished(this::finishFlush);
    }
  }

  private void finishFlush(LogFlushes flushes) {
    boolean succeeded = flushes.finish();
    boolean wanted = !flushes.parked().isEmpty();
    boolean open = !state.isClosing() && !flushes.channel().isReleased();
    if (wanted || (succeeded && open)) {
      flushes.startWhereDue(clock.millis());
    }
    if (flushes.isAtRest()) {
      detachments.completeFlushed();
    }
  }

  private void free(long last) {
    int count = (int) (last - firstWaiting + 1);
    for (int i = 0; i < count; i++) {
      ring.slot(firstWaiting + i).clear();
    }
    firstWaiting = last + 1;
    ring.free(last);
    detachments.complete(last);
    if (!waiters.isEmpty()) {
      waiters.run(Math.min(WAKE_UPS_MAX, ring.room()));
    }
  }

  /** Handles what is published and still to be published by those who claimed, then seals. */
  private void drain() {
    while (!ring.trySeal()) {
      finishFlushes();
      long available = firstWaiting - 1;
      while (ring.isPublished(available + 1)) {
        available++;
      }
      handleThrough(available);
    }
  }

  private void end() {
    flushThreads.end();
    state.end();
    detachments.completeFlushed();
    detachments.complete(Long.MAX_VALUE);
    while (!waiters.isEmpty()) {
      waiters.run(Long.MAX_VALUE);
    }
  }

  /** Answers everybody, then passes the error on. */
  private void die(Throwable error) {
    LOG.error("pipeline {} is closed by a fatal error", state.name(), error);
    state.fail(error);
    try {
      refuseEverything();
      flushThreads.abandon(state.closedRefusal());
      end();
    } catch (Throwable second) {
      error.addSuppressed(second);
      state.end();
    }
    fatalErrors.onFatalError(state.name(), error);
  }

  private void refuseEverything() {
    RejectedAppendException refusal = state.closedRefusal();
    while (!ring.trySeal()) {
      while (ring.isPublished(firstWaiting)) {
        AppendEvent event = ring.slot(firstWaiting);
        refuse(event, refusal);
        event.clear();
        ring.free(firstWaiting);
        firstWaiting++;
      }
      Thread.onSpinWait();
    }
  }

  private static void refuse(AppendEvent event, RejectedAppendException refusal) {
    if (event.task() != null) {
      event.task().fail(refusal);
      return;
    }
    if (!event.isDecided()) {
      event.decide(new AppendResult.Failed(refusal));
    }
    AppendCallback callback = event.takeCallback();
    AppendResult result = event.result();
    if (callback == null || result == null) {
      return;
    }
    try {
      ParkedAppends.answer(callback, result);
    } catch (Error e) {
      LOG.error("the callback of an append failed", e);
    }
  }
}
