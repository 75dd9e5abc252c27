package io.weirmq.storage;

/**
 * What a run of compaction may use. Immutable.
 *
 * @param mapBytes memory for the map of keys of one run, in bytes: 24 per key and its share of free
 *     slots
 * @param mapLoadFactor share of that memory above which the map is full, above 0 and below 1
 * @param bufferBytes memory for the buffers of one run, in bytes, half for reading and half for
 *     writing; a larger batch gets what it needs
 * @param bytesPerSecondMax bytes read and written per second by all runs together, above 0
 */
public record CleanerOptions(
    long mapBytes, double mapLoadFactor, int bufferBytes, double bytesPerSecondMax) {

  /** Checks the ranges. */
  public CleanerOptions {
    if (mapBytes < 1024 || bufferBytes < 1024) {
      throw new IllegalArgumentException(
          "mapBytes is %d and bufferBytes %d; at least 1024 each".formatted(mapBytes, bufferBytes));
    }
    if (!(mapLoadFactor > 0 && mapLoadFactor < 1) || !(bytesPerSecondMax > 0)) {
      throw new IllegalArgumentException(
          "mapLoadFactor is %s, expected between 0 and 1; bytesPerSecondMax is %s, expected above 0"
              .formatted(mapLoadFactor, bytesPerSecondMax));
    }
  }

  /** Returns Kafka's defaults for one thread. */
  public static CleanerOptions defaults() {
    return new CleanerOptions(128L * 1024 * 1024, 0.9, 512 * 1024, Double.MAX_VALUE);
  }

  /** The same with other memory for the map. */
  public CleanerOptions withMapBytes(long bytes) {
    return new CleanerOptions(bytes, mapLoadFactor, bufferBytes, bytesPerSecondMax);
  }

  /** The same with other memory for buffers. */
  public CleanerOptions withBufferBytes(int bytes) {
    return new CleanerOptions(mapBytes, mapLoadFactor, bytes, bytesPerSecondMax);
  }

  /** The same with another bound of bytes per second. */
  public CleanerOptions withBytesPerSecondMax(double bytes) {
    return new CleanerOptions(mapBytes, mapLoadFactor, bufferBytes, bytes);
  }
}
