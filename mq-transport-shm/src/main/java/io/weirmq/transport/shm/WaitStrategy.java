package io.weirmq.transport.shm;

/**
 * How an I/O thread waits for its peers. A trade of processor time for latency; immutable.
 *
 * <p>Whatever is chosen here, an I/O thread without connections sleeps, and so does one whose
 * connections are all paused with nothing to send.
 */
public enum WaitStrategy {

  /**
   * Looks at a connection for a while after its last frame, then sleeps until the peer rings: some
   * fifty microseconds where frames have tended to come sooner than a wake-up takes, else some two.
   * Connections at rest cost nothing; a frame that comes after a rest pays for one wake-up by the
   * system.
   */
  ADAPTIVE,

  /**
   * Never sleeps, and lets other threads run between two turns without a frame. Takes what is left
   * of a core; nobody needs to ring for it.
   */
  YIELDING,

  /** Never sleeps and never yields. Takes a core of its own for each I/O thread. */
  BUSY_SPIN
}
