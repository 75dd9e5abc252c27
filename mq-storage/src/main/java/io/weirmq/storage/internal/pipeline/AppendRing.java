package io.weirmq.storage.internal.pipeline;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.MultiProducerSequencer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.WaitStrategy;

/**
 * The ring: a Disruptor sequencer for many publishers, over slots that are made once.
 *
 * <p>Publishers claim, fill and publish; the writer awaits, handles and frees. Safe for use by
 * several threads, but for the methods that say they are the writer's.
 */
final class AppendRing {

  /** No slot is free. */
  static final long FULL = -1;

  private final MultiProducerSequencer sequencer;
  private final SequenceBarrier barrier;
  private final Sequence freed = new Sequence(-1);
  private final AppendEvent[] slots;

  AppendRing(int size, WaitStrategy waitStrategy) {
    sequencer = new MultiProducerSequencer(size, waitStrategy);
    barrier = sequencer.newBarrier();
    sequencer.addGatingSequences(freed);
    slots = new AppendEvent[size];
    for (int i = 0; i < size; i++) {
      slots[i] = new AppendEvent();
    }
  }

  int size() {
    return slots.length;
  }

  /** Whether a slot is free at this moment. */
  boolean hasRoom() {
    return sequencer.hasAvailableCapacity(1);
  }

  /** Number of free slots at this moment. */
  long room() {
    return sequencer.remainingCapacity();
  }

  /** Claims a slot, which must be published; {@link #FULL} where none is free. Never waits. */
  long tryClaim() {
    try {
      return sequencer.tryNext();
    } catch (InsufficientCapacityException e) {
      return FULL;
    }
  }

  /** The slot of a sequence, for whoever owns it. */
  AppendEvent slot(long sequence) {
    return slots[(int) sequence & (slots.length - 1)];
  }

  void publish(long sequence) {
    sequencer.publish(sequence);
  }

  /** The highest sequence that was claimed. */
  long claimed() {
    return sequencer.getCursor();
  }

  boolean isPublished(long sequence) {
    return sequencer.isAvailable(sequence);
  }

  /** Makes the writer look up from waiting once, by an empty event; not where the ring is full. */
  void wakeWriter() {
    long sequence = tryClaim();
    if (sequence != FULL) {
      publish(sequence);
    }
  }

  /** Makes the writer look up from waiting, now and from now on. */
  void alertWriter() {
    barrier.alert();
  }

  /**
   * Waits until a sequence is published; the writer's.
   *
   * @return the highest sequence that is published with all before it; below the asked one where
   *     the writer was alerted, or a slot is claimed and not yet published
   */
  long await(long sequence) throws InterruptedException {
    try {
      return barrier.waitFor(sequence);
    } catch (AlertException | TimeoutException e) {
      return sequence - 1;
    }
  }

  /** Gives slots up to a sequence back to the publishers; the writer's. */
  void free(long sequence) {
    // With a full fence: what the writer reads next it reads after the slots were free.
    freed.setVolatile(sequence);
  }

  /**
   * Claims the whole ring for good, once all claimed slots are free; the writer's. After that every
   * publisher finds the ring full.
   */
  boolean trySeal() {
    try {
      sequencer.tryNext(slots.length);
      return true;
    } catch (InsufficientCapacityException e) {
      return false;
    }
  }
}
