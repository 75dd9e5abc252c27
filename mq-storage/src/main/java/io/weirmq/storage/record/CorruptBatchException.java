package io.weirmq.storage.record;

import io.weirmq.storage.StorageException;

/** Bytes that should be a record batch break the format. */
public final class CorruptBatchException extends StorageException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final long baseOffset;

  /**
   * Makes the exception.
   *
   * @param kind what is wrong
   * @param baseOffset the base offset that the batch claims, -1 where it can't be told
   * @param message what was expected and what was found
   */
  public CorruptBatchException(Kind kind, long baseOffset, String message) {
    super(text(baseOffset, message));
    this.kind = kind;
    this.baseOffset = baseOffset;
  }

  /** Makes the exception with the failure behind it. */
  public CorruptBatchException(Kind kind, long baseOffset, String message, Throwable cause) {
    super(text(baseOffset, message), cause);
    this.kind = kind;
    this.baseOffset = baseOffset;
  }

  /** Makes the exception for a checksum that doesn't match. */
  static CorruptBatchException checksum(
      long baseOffset, int stored, int computed, int sizeInBytes) {
    return new CorruptBatchException(
        Kind.CHECKSUM,
        baseOffset,
        "checksum mismatch: expected 0x%08x (stored), computed 0x%08x over %d bytes"
            .formatted(stored, computed, sizeInBytes - RecordBatch.ATTRIBUTES_POSITION));
  }

  /** What is wrong. */
  public Kind kind() {
    return kind;
  }

  /** The base offset that the batch claims, -1 where it can't be told. */
  public long baseOffset() {
    return baseOffset;
  }

  private static String text(long baseOffset, String message) {
    return baseOffset < 0 ? message : "batch at offset " + baseOffset + ": " + message;
  }

  /** The kinds of damage. */
  public enum Kind {
    /** The length field is impossible, or bytes are missing. */
    FRAMING,
    /** The message format is not v2. */
    MAGIC,
    /** The checksum doesn't match. */
    CHECKSUM,
    /** The number of the codec is not known. */
    UNSUPPORTED_COMPRESSION,
    /** The compressed block can't be read. */
    COMPRESSION,
    /** The decompressed records exceed the limit of the reader. */
    TOO_LARGE,
    /** A record breaks the format. */
    RECORD
  }
}
