package io.weirmq.storage.internal.pipeline;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Logs that are to be given back once what was queued before is handled and on the disk as far as
 * its appends wait for that. They have a queue beside the ring, so that a full ring can't refuse
 * them; it holds one entry per attached log at most.
 *
 * <p>Safe for use by several threads; {@link #complete} belongs to the writer, and to whoever finds
 * it ended.
 */
final class Detachments {

  private final AppendRing ring;
  private final PipelineState state;
  private final Consumer<LogChannel> onReleased;
  private final Queue<Detachment> waiting = new ConcurrentLinkedQueue<>();

  /** Logs whose events are handled, and which a flush thread has still to do with. Writer only. */
  private final List<Detachment> flushing = new ArrayList<>();

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
    // Where the ring is full the writer is awake, and looks here each time it has freed slots. It
    // frees first and looks then, we have added first and looked for a free slot then: one of us
    // sees the other.
    ring.wakeWriter();
  }

  /** Gives the logs back whose events up to a sequence were all handled. */
  void complete(long handledSequence) {
    Detachment next = waiting.peek();
    while (next != null && next.afterSequence() <= handledSequence) {
      if (waiting.remove(next)) {
        next.channel().release();
        if (state.hasEnded() || next.channel().flushes().isAtRest()) {
          giveBack(next);
        } else {
          flushing.add(next);
        }
      }
      next = waiting.peek();
    }
  }

  /** Gives those logs back whose last flush has ended. Writer only. */
  void completeFlushed() {
    for (Iterator<Detachment> each = flushing.iterator(); each.hasNext(); ) {
      Detachment next = each.next();
      if (next.channel().flushes().isAtRest()) {
        each.remove();
        giveBack(next);
      }
    }
  }

  private void giveBack(Detachment detachment) {
    onReleased.accept(detachment.channel());
    detachment.outcome().complete(null);
  }

  private record Detachment(
      LogChannel channel, long afterSequence, CompletableFuture<Void> outcome) {}
}
