package io.weirmq.server.internal.request;

/**
 * A stage of a {@link FrameHandler} that lets the connection say when its answer was taken: the
 * frame can then be released on the thread that it came from, which is the cheapest place.
 */
public interface FrameLease {

  /**
   * Called once, after the stage has completed: on the I/O thread of the connection, or, where the
   * connection has ended, on any thread. The frame may be released from now on, as far as the stage
   * itself does not need it any more.
   */
  void releaseFrame();
}
