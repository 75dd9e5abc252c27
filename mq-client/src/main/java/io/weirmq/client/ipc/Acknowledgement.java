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

  boolean isIdempotent() {
    return idempotent;
  }
}
