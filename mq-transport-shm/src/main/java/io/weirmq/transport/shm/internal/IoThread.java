package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.loop.EventLoop;

/**
 * An I/O thread and what its connections share.
 *
 * @param frames memory of small frames; confined to the thread
 */
record IoThread(Thread thread, EventLoop loop, FrameMemory frames) {

  /** Makes a thread; it is started by the caller. */
  static IoThread create(EventLoop loop, String name) {
    return new IoThread(new Thread(loop, name), loop, new FrameMemory());
  }
}
