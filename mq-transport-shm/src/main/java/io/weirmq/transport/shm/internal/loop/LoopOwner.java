package io.weirmq.transport.shm.internal.loop;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Who runs a loop: one thread at a time. Safe for use by several threads. */
final class LoopOwner {

  /** A {@link Thread}, or a {@link Guest}. */
  private final AtomicReference<@Nullable Object> owner = new AtomicReference<>();

  /** A thread that has the loop for a moment, in which others wait for it. */
  private record Guest(Thread thread) {}

  /** What became of the wish to have the loop. */
  enum Taken {
    /** The loop is the thread's. */
    YES,
    /** Another thread has it for a moment. */
    SOON,
    /** A thread has it, perhaps the same. */
    NO
  }

  /** Makes a thread the loop's, where it has none. */
  Taken take(Thread thread) {
    Object holder = owner.compareAndExchange(null, thread);
    if (holder == null) {
      return Taken.YES;
    }
    return holder instanceof Guest guest && guest.thread() != thread ? Taken.SOON : Taken.NO;
  }

  /**
   * Makes a thread the loop's for a moment.
   *
   * @return false where the loop has one
   */
  boolean takeForAMoment(Thread thread) {
    return owner.compareAndSet(null, new Guest(thread));
  }

  /** Ends what {@link #take} or {@link #takeForAMoment} has begun. */
  void leave(Thread thread) {
    if (isOwnedBy(thread)) {
      owner.set(null);
    }
  }

  boolean isOwnedBy(Thread thread) {
    Object holder = owner.get();
    return holder == thread || (holder instanceof Guest guest && guest.thread() == thread);
  }
}
