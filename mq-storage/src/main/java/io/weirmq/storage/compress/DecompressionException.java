package io.weirmq.storage.compress;

import io.weirmq.storage.CompressionType;
import io.weirmq.storage.StorageException;
import org.jspecify.annotations.Nullable;

/** A compressed block can't be read, or holds more than the reader's limit. */
public final class DecompressionException extends StorageException {

  private static final long serialVersionUID = 1L;

  private final CompressionType codec;
  private final boolean overLimit;

  private DecompressionException(
      CompressionType codec, boolean overLimit, String message, @Nullable Throwable cause) {
    super(message);
    if (cause != null) {
      initCause(cause);
    }
    this.codec = codec;
    this.overLimit = overLimit;
  }

  /** Makes the exception for bytes that break the codec's format. */
  static DecompressionException malformed(CompressionType codec, Exception cause) {
    String what = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return new DecompressionException(
        codec, false, codec.configName() + " block is malformed: " + what, cause);
  }

  /** Makes the exception for a block that holds too much. */
  static DecompressionException overLimit(CompressionType codec, long limitBytes) {
    return new DecompressionException(
        codec,
        true,
        "%s block holds more than %d bytes".formatted(codec.configName(), limitBytes),
        null);
  }

  /** The codec of the block. */
  public CompressionType codec() {
    return codec;
  }

  /** Whether the block holds more than the limit; else it is malformed. */
  public boolean isOverLimit() {
    return overLimit;
  }
}
