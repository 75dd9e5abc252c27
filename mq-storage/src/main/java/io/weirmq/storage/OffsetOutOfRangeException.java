package io.weirmq.storage;

/** An offset lies outside of a log. */
public final class OffsetOutOfRangeException extends StorageException {

  private static final long serialVersionUID = 1L;

  private final long offset;
  private final long logStartOffset;
  private final long logEndOffset;

  /** Makes the exception; the message is formed from the parts. */
  public OffsetOutOfRangeException(
      TopicPartition partition, long offset, long logStartOffset, long logEndOffset) {
    super(
        "offset %d of %s is outside of %d..%d"
            .formatted(offset, partition, logStartOffset, logEndOffset));
    this.offset = offset;
    this.logStartOffset = logStartOffset;
    this.logEndOffset = logEndOffset;
  }

  /** The asked offset. */
  public long offset() {
    return offset;
  }

  /** The log start offset when it was asked. */
  public long logStartOffset() {
    return logStartOffset;
  }

  /** The upper bound when it was asked. */
  public long logEndOffset() {
    return logEndOffset;
  }
}
