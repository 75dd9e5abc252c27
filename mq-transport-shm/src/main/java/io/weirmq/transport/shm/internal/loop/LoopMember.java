package io.weirmq.transport.shm.internal.loop;

/** What an {@link EventLoop} serves turn by turn while it is awake. All calls on the loop. */
public interface LoopMember {

  /**
   * Does what is to be done, as far as one turn allows. Where this throws, as for a fault of
   * memory, all members are asked for the state of theirs, and it is called again.
   *
   * @return amount of work done, 0 for none
   */
  int serve();

  /** How long it is looked at before it is asked to rest; always the same one. */
  Patience patience();

  /** Has the loop serve this member again where it rests; see {@link EventLoop#wake}. */
  void wake();

  /**
   * Asks for a rest after some turns without work: whoever brings work from now on will wake the
   * loop.
   *
   * @return false where there is work by now, or where this member never rests
   */
  boolean rest();

  /**
   * Some access to memory on the loop has failed, perhaps to memory of this member: it looks, and
   * ends itself where that is so. It is awake from now on, whatever it was.
   *
   * @return whether its memory has failed
   */
  boolean memoryFailed(InternalError failure);

  /** The loop was stopped: it ends itself, by a task of the loop if need be. */
  void loopEnds();

  /** Its own turns have failed some times, though its memory seems to be there: it ends itself. */
  void failsAgain(Throwable failure);
}
