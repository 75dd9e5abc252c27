package io.weirmq.replication.metadata;

import java.util.Objects;

/** A change to the metadata was not made. */
public final class MetadataChangeException extends Exception {

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Makes the exception with a message for the one who asked. */
  public MetadataChangeException(Reason reason, String message) {
    super(message);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** Makes the exception with a message for the one who asked, and the failure behind it. */
  public MetadataChangeException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** Why the change was not made. */
  public Reason reason() {
    return reason;
  }

  /** Why a change was not made. */
  public enum Reason {
    /** There is a topic of that name. */
    TOPIC_EXISTS,
    /** There is no topic of that id. */
    UNKNOWN_TOPIC,
    /** There is no such partition. */
    UNKNOWN_PARTITION,
    /** What the change was computed from has changed meanwhile; compute it anew. */
    CONFLICT,
    /** The store can't make it durable; nothing has changed. */
    STORAGE_FAILED,
    /** Too many changes wait; nothing has changed. */
    OVERLOADED,
    /** The store is closed. */
    CLOSED
  }
}
