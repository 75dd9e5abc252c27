package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.loop.EventLoop;
import java.util.Optional;

/**
 * A loop and what its connections share.
 *
 * @param thread runs the loop and nothing else; empty where callers of {@link EventLoop#poll} do
 * @param accepted memory of the frames of connections that were accepted; with a pool, as servers
 *     mostly release their requests. Confined to the loop
 * @param connected memory of the frames of connections that this side has asked for; without one,
 *     as clients mostly keep the answers. Confined to the loop
 */
record IoThread(
    Optional<Thread> thread, EventLoop loop, FrameMemory accepted, FrameMemory connected) {

  /** The memory of the frames of a connection. */
  FrameMemory frames(boolean isAccepted) {
    return isAccepted ? accepted : connected;
  }

  /** Makes a thread for a loop; it is started by the caller. */
  static IoThread create(EventLoop loop, String name) {
    return of(Optional.of(new Thread(loop, name)), loop);
  }

  /** Makes the place of a thread for a loop that is polled. */
  static IoThread polled(EventLoop loop) {
    return of(Optional.empty(), loop);
  }

  private static IoThread of(Optional<Thread> thread, EventLoop loop) {
    boolean one = thread.isPresent();
    return new IoThread(
        thread, loop, new FrameMemory(new FramePool(), one), new FrameMemory(null, one));
  }
}
