package io.weirmq.server.internal.group.offsets;

/**
 * Settings of committed offsets. Immutable.
 *
 * @param metadataLengthMax {@code offset.metadata.max.bytes}: longest text that goes with an
 *     offset, in characters, as Kafka counts it in spite of the key's name
 * @param retentionMs {@code offsets.retention.minutes}: how long offsets are kept once nobody uses
 *     them, in milliseconds
 * @param retentionCheckIntervalMs {@code offsets.retention.check.interval.ms}: how often expired
 *     offsets are looked for, in milliseconds, above 0
 */
public record OffsetConfig(int metadataLengthMax, long retentionMs, long retentionCheckIntervalMs) {

  /** The text is stored behind an int16 length, with up to three bytes for each character. */
  private static final int METADATA_LENGTH_LIMIT = Short.MAX_VALUE / 3;

  /** Kafka's defaults: 4096, 7 days, 10 minutes. */
  public static final OffsetConfig DEFAULTS =
      new OffsetConfig(4096, 7L * 24 * 60 * 60 * 1000, 600_000);

  /** Checks the values. */
  public OffsetConfig {
    if (metadataLengthMax < 0 || metadataLengthMax > METADATA_LENGTH_LIMIT) {
      throw new IllegalArgumentException(
          "offset.metadata.max.bytes = %d: expected 0 to %d"
              .formatted(metadataLengthMax, METADATA_LENGTH_LIMIT));
    }
    if (retentionMs < 0) {
      throw new IllegalArgumentException(
          "offsets.retention.minutes: expected 0 or more, found %d ms".formatted(retentionMs));
    }
    if (retentionCheckIntervalMs < 1) {
      throw new IllegalArgumentException(
          "offsets.retention.check.interval.ms = %d: expected 1 or more"
              .formatted(retentionCheckIntervalMs));
    }
  }
}
