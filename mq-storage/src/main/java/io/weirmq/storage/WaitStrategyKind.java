package io.weirmq.storage;

import java.util.Locale;
import java.util.Optional;

/** How a pipeline's writer waits for work. */
public enum WaitStrategyKind {
  /**
   * Looks for up to some fifty microseconds where work tends to come sooner than a wake-up takes,
   * else for some two, then sleeps. Costs nothing when idle.
   */
  ADAPTIVE,
  /** Sleeps; costs nothing when idle, and a wake-up of some microseconds per burst. */
  BLOCKING,
  /** Spins, then yields; takes a core that others may use too. */
  YIELDING,
  /** Spins; takes a core of its own, and hands over within a microsecond. */
  BUSY_SPIN;

  /** The name in configurations, {@code busy-spin} for instance. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the kind with a name; empty where none has it. */
  public static Optional<WaitStrategyKind> ofConfigName(String name) {
    for (WaitStrategyKind kind : values()) {
      if (kind.configName().equals(name)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
