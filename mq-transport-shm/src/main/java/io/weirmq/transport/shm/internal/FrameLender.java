package io.weirmq.transport.shm.internal;

/** Whose memory a frame has. */
@FunctionalInterface
interface FrameLender {

  /** Gives the memory of one frame back; to be called once per frame. From any thread. */
  void giveBack();
}
