package io.weirmq.storage.internal.producer;

import io.weirmq.storage.AppendResult.RejectReason;

/** What the producer states say to a batch. */
public sealed interface SequenceCheck {

  /** The batch may be appended. */
  enum Fits implements SequenceCheck {
    /** The only one. */
    INSTANCE
  }

  /**
   * The batch was appended before, maybe only staged.
   *
   * @param baseOffset offset that its first record got
   * @param lastOffset offset that its last record got
   * @param timestampMs its greatest timestamp at the first append
   */
  record Repeated(long baseOffset, long lastOffset, long timestampMs) implements SequenceCheck {}

  /**
   * The batch breaks a rule.
   *
   * @param reason which
   * @param message names partition, producer, expected and found
   */
  record Refused(RejectReason reason, String message) implements SequenceCheck {}
}
