package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.loop.EventLoop;

/**
 * An I/O thread and what its connections share.
 *
 * @param accepted memory of the frames of connections that were accepted; with a pool, as servers
 *     mostly release their requests. Confined to the thread
 * @param connected memory of the frames of connections that this side has asked for; without one,
 *     as clients mostly keep the answers. Confined to the thread
 */
record IoThread(Thread thread, EventLoop loop, FrameMemory accepted, FrameMemory connected) {

  /** The memory of the frames of a connection. */
  FrameMemory frames(boolean isAccepted) {
    return isAccepted ? accepted : connected;
  }

  /** Makes a thread; it is started by the caller. */
  static IoThread create(EventLoop loop, String name) {
    return new IoThread(
        new Thread(loop, name), loop, new FrameMemory(new FramePool()), new FrameMemory(null));
  }
}
