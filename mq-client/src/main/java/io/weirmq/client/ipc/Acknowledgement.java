package io.weirmq.client.ipc;

/** What a publisher learns of its records. Immutable. */
public enum Acknowledgement {

  /**
   * Nothing that holds: records whose answer is lost with a connection are not sent again, but
   * counted, and nobody waits for them any more. Records that were not sent by then are sent on the
   * next connection. The broker still answers, as its answers are what lets batches form; a
   * publisher of this kind is not idempotent and never fails because of a gap.
   */
  FIRE_AND_FORGET((short) 1, false),

  /** The leader has written it to its log; what is lost with a connection is sent again, once. */
  APPENDED((short) 1, true),

  /**
   * The leader has it on its disk (fsync); what is lost with a connection is sent again, once. The
   * topic's {@code flush.messages} must be 1: a publisher looks each time that it connects, and
   * does not begin, or go on, where it is not. Who raises it under a publisher that is connected
   * takes this promise from what comes until the next connection. Records that gather while the
   * disk works share one fsync.
   */
  FLUSHED((short) 1, true),

  /**
   * The high watermark has passed it: all replicas in sync have it, and of a leader that is alone
   * the flush policy has settled it. With {@code flush.messages=1} on such a topic it is on the
   * disk.
   */
  REPLICATED((short) -1, true);

  private final short acks;
  private final boolean idempotent;

  Acknowledgement(short acks, boolean idempotent) {
    this.acks = acks;
    this.idempotent = idempotent;
  }

  short acks() {
    return acks;
  }

  /** Whether the topic's flush policy has to bring each record on the disk. */
  boolean needsFlushPolicy() {
    return this == FLUSHED;
  }

  boolean isIdempotent() {
    return idempotent;
  }
}
