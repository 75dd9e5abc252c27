package io.weirmq.server.config;

import io.weirmq.storage.CleanerOptions;
import java.time.Duration;

/**
 * Settings of the threads that compact logs. Immutable.
 *
 * @param threads how many there are, 0 for no compaction
 * @param backoff how long one waits where no log needs it
 * @param options what one thread may use, and all together per second
 */
public record CleanerSettings(int threads, Duration backoff, CleanerOptions options) {

  private static final int BYTES_MIN = 1024;

  /** The map's searches end at a free slot. */
  private static final double LOAD_FACTOR_MAX = 0.999;

  static CleanerSettings of(ConfigValues values) {
    int threads = values.flag(CleanerKeys.ENABLE) ? values.intValue(CleanerKeys.THREADS) : 0;
    int sharedBy = Math.max(1, threads);
    return new CleanerSettings(
        threads,
        Duration.ofMillis(values.longValue(CleanerKeys.BACKOFF_MS)),
        new CleanerOptions(
            Math.max(BYTES_MIN, values.longValue(CleanerKeys.DEDUPE_BUFFER_BYTES) / sharedBy),
            Math.min(LOAD_FACTOR_MAX, values.doubleValue(CleanerKeys.LOAD_FACTOR)),
            Math.max(BYTES_MIN, values.intValue(CleanerKeys.IO_BUFFER_BYTES) / sharedBy),
            values.doubleValue(CleanerKeys.BYTES_PER_SECOND)));
  }
}
