package io.weirmq.bench.compare.worker;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * One end of a contestant's way for messages. {@link #offer}, {@link #flush} and {@link #poll} are
 * called by one thread; a link that isn't polled calls its receiver from a thread of its own, and
 * {@code offer} may then be called from there too, inside the receiver.
 *
 * <p>A public class with a public constructor that takes {@link io.weirmq.bench.compare.Settings}
 * (those of the process, with the facts of the processes before), {@link Side} and {@link Receiver}
 * (called for each message that comes in) and opens this end. The sending end is open when what it
 * sends from then on will arrive.
 */
public interface Link {

  /** What the other end must know, such as a port; by default nothing. */
  default Map<String, String> facts() {
    return Map.of();
  }

  /**
   * Hands a message over, from position 0 to its capacity.
   *
   * @param message borrowed: copied before this returns; position and limit are left as they are
   * @return false where there is no room now; the caller waits by {@link #idle} and tries again
   * @throws IllegalStateException where the link is broken, also by an earlier message
   */
  boolean offer(ByteBuffer message);

  /** Lets go what was handed over and may have been held back. */
  void flush();

  /** Whether messages are only received inside {@link #poll}. */
  boolean isPolled();

  /**
   * Receives what is there, on this thread; links that aren't polled do nothing.
   *
   * @param mayBlock whether it may wait for a message, a second at most; ignored by links that spin
   * @return number of messages
   */
  int poll(boolean mayBlock);

  /** Waits in the contestant's own style after a turn of a loop that has done so much work. */
  void idle(int workCount);

  /** Closes what was opened. */
  void close() throws Exception;

  /** Receives messages. */
  @FunctionalInterface
  interface Receiver {

    /**
     * Called for each message.
     *
     * @param buffer borrowed, big-endian; read by absolute positions only
     * @param offset where the message begins
     * @param length its length in bytes
     */
    void onMessage(ByteBuffer buffer, int offset, int length);
  }

  /** Which end a link is. */
  enum Side {
    /** Started first: it listens; the end that receives or answers. */
    RECEIVER,
    /** It connects; the end that sends, and receives answers. */
    SENDER
  }
}
