package io.weirmq.storage;

import java.util.List;

/** The outcome of an append. */
public sealed interface AppendResult {

  /**
   * The batch is in the log.
   *
   * @param baseOffset offset of its first record
   * @param lastOffset offset of its last record
   * @param logAppendTimeMs wall clock of the append where the topic stamps it, else -1
   * @param logStartOffset log start offset after the append
   */
  record Appended(long baseOffset, long lastOffset, long logAppendTimeMs, long logStartOffset)
      implements AppendResult {}

  /**
   * The batch was in the log already: an idempotent producer sent it again. Nothing was written.
   *
   * @param baseOffset offset that its first record got
   * @param lastOffset offset that its last record got
   * @param logAppendTimeMs as at the first append, else -1
   * @param logStartOffset log start offset now
   */
  record Duplicate(long baseOffset, long lastOffset, long logAppendTimeMs, long logStartOffset)
      implements AppendResult {}

  /**
   * The batch breaks a rule; nothing was written.
   *
   * @param reason which rule
   * @param message names topic, partition, what was expected and what was found
   * @param recordErrors the records at fault where single ones are, else empty
   */
  record Rejected(RejectReason reason, String message, List<RecordError> recordErrors)
      implements AppendResult {
    /** Copies the list. */
    public Rejected {
      recordErrors = List.copyOf(recordErrors);
    }
  }

  /**
   * The storage failed; nothing of the batch is readable.
   *
   * @param cause names file and position
   */
  record Failed(StorageException cause) implements AppendResult {}

  /**
   * A record at fault.
   *
   * @param index its index in the batch
   * @param message what is wrong with it
   */
  record RecordError(int index, String message) {}

  /** The rule that a refused batch breaks. Each has one Kafka error code in the server. */
  enum RejectReason {
    /** The checksum does not match, or the framing is broken. */
    CORRUPT_MESSAGE,
    /** The content breaks the format or a rule of the topic. */
    INVALID_RECORD,
    /** The batch exceeds {@code max.message.bytes}. */
    MESSAGE_TOO_LARGE,
    /** The batch exceeds {@code segment.bytes}. */
    RECORD_LIST_TOO_LARGE,
    /** A timestamp is outside of what the topic accepts. */
    INVALID_TIMESTAMP,
    /** The codec is not known. */
    UNSUPPORTED_COMPRESSION_TYPE,
    /** The sequence does not follow the last one. */
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    /** The producer epoch is older than the known one. */
    INVALID_PRODUCER_EPOCH,
    /** The batch does not fit the producer's transaction. */
    INVALID_TXN_STATE,
    /** A marker comes from a transaction coordinator that has been replaced. */
    TRANSACTION_COORDINATOR_FENCED
  }
}
