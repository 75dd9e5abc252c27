package io.weirmq.storage;

import java.util.Locale;
import java.util.Optional;

/** Compression codecs of record batches, with the numbers of the batch attributes. */
public enum CompressionType {
  /** Not compressed. */
  NONE(0),
  /** RFC 1952. */
  GZIP(1),
  /** Snappy, xerial-framed or one plain block. */
  SNAPPY(2),
  /** The LZ4 frame format. */
  LZ4(3),
  /** Zstandard, RFC 8878. */
  ZSTD(4);

  private static final CompressionType[] BY_ID = values();

  private final int id;

  CompressionType(int id) {
    this.id = id;
  }

  /** The number in bits 0 to 2 of the batch attributes. */
  public int id() {
    return id;
  }

  /** The name in configurations, {@code lz4} for instance. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the codec with a number; empty where no codec has it. */
  public static Optional<CompressionType> ofId(int id) {
    return id >= 0 && id < BY_ID.length ? Optional.of(BY_ID[id]) : Optional.empty();
  }
}
