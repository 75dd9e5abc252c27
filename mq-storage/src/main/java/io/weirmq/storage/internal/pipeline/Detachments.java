package io.weirmq.storage.internal.pipeline;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Logs that are to be given back once what was queued before is handled. They have a queue beside
 * the ring, so that a full ring can't refuse them; it holds one entry per attached log at most.
 *
 * <p>Safe for use by several threads; {@link #complete} belongs to the writer, and to whoever finds
 * it ended.
 */
final class Detachments {

  private final AppendRing ring;
  private final PipelineState state;
  private final Consumer<LogChannel> onReleased;
  private final Queue<Detachment> waiting = new ConcurrentLinkedQueue<>();

  Detachments(AppendRing ring, PipelineState state, Consumer<LogChannel> onReleased) {
    this.ring = ring;
    this.state = state;
    this.onReleased = onReleased;
  }

  void add(LogChannel channel, CompletableFuture<Void> outcome) {
    waiting.add(new Detachment(channel, ring.claimed(), outcome));
    if (state.hasEnded()) {
      complete(Long.MAX_VALUE);
      return;
    }
    wakeWriter();
  }

  /** Gives the logs back whose events up to a sequence were all handled. */
  void complete(long handledSequence) {
    Detachment next = waiting.peek();
    while (next != null && next.afterSequence() <= handledSequence) {
      if (waiting.remove(next)) {
        next.channel().release();
        onReleased.accept(next.channel());
        next.outcome().complete(null);
      }
      next = waiting.peek();
    }
  }

  private void wakeWriter() {
    // Where the ring is full the writer is awake, and looks here each time it has freed slots. It
    // frees first and looks then, we have added first and looked for a free slot then: one of us
    // sees the other.
    long sequence = ring.tryClaim();
    if (sequence != AppendRing.FULL) {
      ring.publish(sequence);
    }
  }

  private record Detachment(
      LogChannel channel, long afterSequence, CompletableFuture<Void> outcome) {}
}
