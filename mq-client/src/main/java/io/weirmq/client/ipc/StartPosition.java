package io.weirmq.client.ipc;

/** Where a subscriber begins. Immutable. */
public sealed interface StartPosition {

  /** The first record that is there. */
  static StartPosition earliest() {
    return Edge.EARLIEST;
  }

  /** Behind the last record that is there. */
  static StartPosition latest() {
    return Edge.LATEST;
  }

  /** A record. */
  static StartPosition offset(long offset) {
    return new Offset(offset);
  }

  /** The first record whose timestamp is at or above a time, milliseconds since the epoch. */
  static StartPosition timestamp(long timestampMs) {
    return new Timestamp(timestampMs);
  }

  /**
   * The offset that was committed last for a group.
   *
   * @param group without members, used by {@link IpcSubscriber#commit}
   * @param otherwise where nothing was committed
   */
  static StartPosition committed(String group, StartPosition otherwise) {
    return new Committed(group, otherwise);
  }

  /** One of the ends of the log. */
  enum Edge implements StartPosition {
    /** The first record. */
    EARLIEST,
    /** Behind the last one. */
    LATEST
  }

  /**
   * A record.
   *
   * @param offset 0 or more
   */
  record Offset(long offset) implements StartPosition {

    /** Checks the offset. */
    public Offset {
      if (offset < 0) {
        throw new IllegalArgumentException("offset " + offset + " is negative");
      }
    }
  }

  /**
   * A time.
   *
   * @param timestampMs milliseconds since the epoch, 0 or more
   */
  record Timestamp(long timestampMs) implements StartPosition {

    /** Checks the time; negative ones have other meanings on the wire. */
    public Timestamp {
      if (timestampMs < 0) {
        throw new IllegalArgumentException("timestamp " + timestampMs + " is negative");
      }
    }
  }

  /**
   * What a group has committed.
   *
   * @param group name of the group
   * @param otherwise where it has committed nothing
   */
  record Committed(String group, StartPosition otherwise) implements StartPosition {}
}
