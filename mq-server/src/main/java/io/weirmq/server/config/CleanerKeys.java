package io.weirmq.server.config;

import static io.weirmq.server.config.ConfigRule.atLeast;
import static io.weirmq.server.config.ConfigType.BOOLEAN;
import static io.weirmq.server.config.ConfigType.DOUBLE;
import static io.weirmq.server.config.ConfigType.INT;
import static io.weirmq.server.config.ConfigType.LONG;
import static io.weirmq.server.config.Importance.LOW;
import static io.weirmq.server.config.Importance.MEDIUM;

import java.util.List;

/** Keys of the threads that compact logs; what holds for one log is in {@link TopicDefaultKeys}. */
public final class CleanerKeys {

  private static final ConfigRule SHARE =
      new ConfigRule(
          "above 0 and at most 1",
          value -> ((Number) value).doubleValue() > 0 && ((Number) value).doubleValue() <= 1);

  private static final ConfigRule POSITIVE =
      new ConfigRule("above 0", value -> ((Number) value).doubleValue() > 0);

  /** {@code log.cleaner.enable}. */
  public static final ConfigKey ENABLE =
      ConfigKey.of(
          "log.cleaner.enable",
          BOOLEAN,
          "true",
          MEDIUM,
          "Whether logs whose policy has compact are compacted; without, they grow for ever.");

  /** {@code log.cleaner.threads}. */
  public static final ConfigKey THREADS =
      ConfigKey.of("log.cleaner.threads", INT, "1", MEDIUM, "Threads that compact logs.")
          .with(atLeast(0));

  /** {@code log.cleaner.backoff.ms}. */
  public static final ConfigKey BACKOFF_MS =
      ConfigKey.of(
              "log.cleaner.backoff.ms",
              LONG,
              "15000",
              MEDIUM,
              "Milliseconds that a cleaner thread waits where no log needs it.")
          .with(atLeast(0));

  /** {@code log.cleaner.dedupe.buffer.size}. */
  public static final ConfigKey DEDUPE_BUFFER_BYTES =
      ConfigKey.of(
              "log.cleaner.dedupe.buffer.size",
              LONG,
              "134217728",
              MEDIUM,
              "Bytes of memory for the maps of keys of all cleaner threads together, 24 per key;"
                  + " taken while a log is compacted.")
          .with(atLeast(1024));

  /** {@code log.cleaner.io.buffer.size}. */
  public static final ConfigKey IO_BUFFER_BYTES =
      ConfigKey.of(
              "log.cleaner.io.buffer.size",
              INT,
              "524288",
              LOW,
              "Bytes of memory for the buffers of all cleaner threads together.")
          .with(atLeast(1024));

  /** {@code log.cleaner.io.buffer.load.factor}. */
  public static final ConfigKey LOAD_FACTOR =
      ConfigKey.of(
              "log.cleaner.io.buffer.load.factor",
              DOUBLE,
              "0.9",
              LOW,
              "Share of the map of keys that may be used; more takes more keys at a time and more"
                  + " time per key.")
          .with(SHARE);

  /** {@code log.cleaner.io.max.bytes.per.second}. */
  public static final ConfigKey BYTES_PER_SECOND =
      ConfigKey.of(
              "log.cleaner.io.max.bytes.per.second",
              DOUBLE,
              "1.7976931348623157E308",
              MEDIUM,
              "Bytes that all cleaner threads together read and write per second on average.")
          .with(POSITIVE);

  private CleanerKeys() {}

  static List<ConfigKey> all() {
    return List.of(
        ENABLE,
        THREADS,
        BACKOFF_MS,
        DEDUPE_BUFFER_BYTES,
        IO_BUFFER_BYTES,
        LOAD_FACTOR,
        BYTES_PER_SECOND);
  }
}
