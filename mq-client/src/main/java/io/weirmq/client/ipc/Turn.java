package io.weirmq.client.ipc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Who owns a publisher's batches: one thread at a time. Who finds the turn taken and need not own
 * them himself leaves a mark, and the owner looks again before he gives the turn back; so that
 * nobody waits for an I/O thread's work, nor the reverse.
 *
 * <pre>
 *   FREE --take--&gt; TAKEN --takeOrMark--&gt; TAKEN_AND_MARKED
 *     ^              |  ^                        |
 *     +---giveBack---+  +--giveBack, look again--+
 * </pre>
 *
 * <p>Safe for use by several threads. Giving back happens before the next take, and a mark before
 * the look that follows it.
 */
final class Turn {

  private static final int FREE = 0;
  private static final int TAKEN = 1;
  private static final int TAKEN_AND_MARKED = 2;

  private static final int SPINS_BEFORE_YIELD = 100;

  private static final VarHandle STATE = state();

  @SuppressWarnings("unused") // through STATE
  private volatile int state;

  /** Who has the turn. Each thread compares it with itself only, and so need not see it in time. */
  private @Nullable Thread owner;

  private static VarHandle state() {
    try {
      return MethodHandles.lookup().findVarHandle(Turn.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the field is there", e);
    }
  }

  /**
   * Takes the turn; waits while somebody has it.
   *
   * @throws IllegalStateException where this thread has it already, and would wait for ever
   */
  @SuppressWarnings("ThreadPriorityCheck") // the owner may need this core
  void take() {
    if (isMine()) {
      throw new IllegalStateException(
          "thread %s has a claim that is neither committed nor aborted, or is in a callback"
              .formatted(Thread.currentThread().getName()));
    }
    int spins = 0;
    while (!STATE.compareAndSet(this, FREE, TAKEN)) {
      if (++spins < SPINS_BEFORE_YIELD) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
    owner = Thread.currentThread();
  }

  /** Whether the calling thread has the turn. */
  boolean isMine() {
    return owner == Thread.currentThread();
  }

  /**
   * Gives the turn back, unless there is a mark.
   *
   * @return false where there was one, which is gone now: the owner keeps the turn, looks again and
   *     then gives it back
   */
  boolean giveBack() {
    Thread current = owner;
    owner = null; // before the next owner writes it
    if (STATE.compareAndSet(this, TAKEN, FREE)) {
      return true;
    }
    owner = current;
    STATE.setVolatile(this, TAKEN); // before the look, so that a later mark is not lost
    return false;
  }

  /**
   * Takes the turn where nobody has it, else leaves a mark.
   *
   * @return whether the caller has the turn now; else the owner looks again
   */
  boolean takeOrMark() {
    while (true) {
      if (STATE.compareAndSet(this, FREE, TAKEN)) {
        owner = Thread.currentThread();
        return true;
      }
      if (STATE.compareAndSet(this, TAKEN, TAKEN_AND_MARKED)
          || (int) STATE.getVolatile(this) == TAKEN_AND_MARKED) {
        return false;
      }
    }
  }
}
