package io.weirmq.server.config;

import java.util.Locale;

/**
 * Settings of the write path. Immutable.
 *
 * @param count writer threads
 * @param ringSize appends that wait in front of a writer thread, a power of two
 * @param waitStrategy how a writer thread waits for work
 */
public record PipelineSettings(int count, int ringSize, WaitStrategy waitStrategy) {

  static PipelineSettings of(ConfigValues values) {
    String strategy = values.string(StorageKeys.WAIT_STRATEGY);
    return new PipelineSettings(
        values.intValue(StorageKeys.PIPELINES),
        values.intValue(StorageKeys.RING_SIZE),
        WaitStrategy.valueOf(strategy.toUpperCase(Locale.ROOT).replace('-', '_')));
  }

  /** How a writer thread waits for work. */
  public enum WaitStrategy {
    /** Looks for a learned time, then sleeps. */
    ADAPTIVE,
    /** Sleeps; costs nothing when idle. */
    BLOCKING,
    /** Spins and gives way to others. */
    YIELDING,
    /** Spins. */
    BUSY_SPIN
  }
}
