package io.weirmq.server.config;

import static io.weirmq.server.config.ConfigRule.atLeast;
import static io.weirmq.server.config.ConfigRule.between;
import static io.weirmq.server.config.ConfigRule.oneOf;
import static io.weirmq.server.config.ConfigRule.powerOfTwo;
import static io.weirmq.server.config.ConfigType.INT;
import static io.weirmq.server.config.ConfigType.LIST;
import static io.weirmq.server.config.ConfigType.LONG;
import static io.weirmq.server.config.ConfigType.STRING;
import static io.weirmq.server.config.Importance.HIGH;
import static io.weirmq.server.config.Importance.LOW;
import static io.weirmq.server.config.Importance.MEDIUM;

import java.util.List;

/** Keys of data folders, their upkeep, and the write path. */
public final class StorageKeys {

  /** {@code log.dir}. */
  public static final ConfigKey LOG_DIR =
      ConfigKey.of("log.dir", LIST, "data", HIGH, "The data folder, where log.dirs is not given.")
          .with(ConfigRule.NOT_BLANK);

  /** {@code log.dirs}. */
  public static final ConfigKey LOG_DIRS =
      ConfigKey.optional(
          "log.dirs", LIST, HIGH, "The data folders; a new log goes to the one with the fewest.");

  /** {@code num.recovery.threads.per.data.dir}. */
  public static final ConfigKey RECOVERY_THREADS =
      ConfigKey.of(
              "num.recovery.threads.per.data.dir",
              INT,
              "2",
              HIGH,
              "Threads per data folder that load logs at start and close them at the stop.")
          .with(atLeast(1));

  /** {@code log.retention.check.interval.ms}. */
  public static final ConfigKey RETENTION_CHECK_MS =
      ConfigKey.of(
              "log.retention.check.interval.ms",
              LONG,
              "300000",
              MEDIUM,
              "Milliseconds between two looks for segments to remove.")
          .with(atLeast(1));

  /** {@code log.flush.offset.checkpoint.interval.ms}. */
  public static final ConfigKey RECOVERY_CHECKPOINT_MS =
      ConfigKey.of(
              "log.flush.offset.checkpoint.interval.ms",
              INT,
              "60000",
              HIGH,
              "Milliseconds between two writes of the recovery points.")
          .with(atLeast(1));

  /** {@code log.flush.start.offset.checkpoint.interval.ms}. */
  public static final ConfigKey START_CHECKPOINT_MS =
      ConfigKey.of(
              "log.flush.start.offset.checkpoint.interval.ms",
              INT,
              "60000",
              HIGH,
              "Milliseconds between two writes of the log start offsets.")
          .with(atLeast(1));

  /** {@code replica.high.watermark.checkpoint.interval.ms}. */
  public static final ConfigKey HIGH_WATERMARK_CHECKPOINT_MS =
      ConfigKey.of(
              "replica.high.watermark.checkpoint.interval.ms",
              LONG,
              "5000",
              HIGH,
              "Milliseconds between two writes of the high watermarks.")
          .with(atLeast(1));

  /** {@code log.flush.scheduler.interval.ms}. */
  public static final ConfigKey FLUSH_SCHEDULER_MS =
      ConfigKey.of(
              "log.flush.scheduler.interval.ms",
              LONG,
              "9223372036854775807",
              HIGH,
              "What log.flush.interval.ms is by default; logs are looked at each second and at each"
                  + " append.")
          .with(atLeast(1));

  /** {@code producer.id.expiration.ms}. */
  public static final ConfigKey PRODUCER_EXPIRATION_MS =
      ConfigKey.of(
              "producer.id.expiration.ms",
              INT,
              "86400000",
              LOW,
              "An idempotent producer that is idle for so many milliseconds is forgotten.")
          .with(atLeast(1));

  /** {@code producer.id.expiration.check.interval.ms}. */
  public static final ConfigKey PRODUCER_EXPIRATION_CHECK_MS =
      ConfigKey.of(
              "producer.id.expiration.check.interval.ms",
              INT,
              "600000",
              LOW,
              "Milliseconds between two looks for idle producers.")
          .with(atLeast(1));

  /** {@code weirmq.open.files.max}. */
  public static final ConfigKey OPEN_FILES_MAX =
      ConfigKey.of(
              "weirmq.open.files.max",
              INT,
              "500",
              MEDIUM,
              "Segment files that are kept open; others are opened when they are needed.")
          .with(atLeast(16));

  /** {@code weirmq.append.pipelines}. */
  public static final ConfigKey PIPELINES =
      ConfigKey.of(
              "weirmq.append.pipelines",
              INT,
              "1",
              MEDIUM,
              "Writer threads; each partition belongs to one of them.")
          .with(between(1, 256));

  /** {@code weirmq.append.ring.size}. */
  public static final ConfigKey RING_SIZE =
      ConfigKey.of(
              "weirmq.append.ring.size",
              INT,
              "1024",
              MEDIUM,
              "Appends that wait in front of a writer thread; when it is full, clients are not read"
                  + " from.")
          .with(powerOfTwo(8, 1 << 20));

  /** {@code weirmq.append.wait.strategy}. */
  public static final ConfigKey WAIT_STRATEGY =
      ConfigKey.of(
              "weirmq.append.wait.strategy",
              STRING,
              "blocking",
              MEDIUM,
              "How a writer thread waits for work: blocking and adaptive cost nothing when idle, and"
                  + " adaptive looks for up to 50 microseconds while work comes that often; yielding"
                  + " and busy-spin trade a core for microseconds.")
          .with(oneOf("adaptive", "blocking", "yielding", "busy-spin"));

  private StorageKeys() {}

  static List<ConfigKey> all() {
    return List.of(
        LOG_DIR,
        LOG_DIRS,
        RECOVERY_THREADS,
        RETENTION_CHECK_MS,
        RECOVERY_CHECKPOINT_MS,
        START_CHECKPOINT_MS,
        HIGH_WATERMARK_CHECKPOINT_MS,
        FLUSH_SCHEDULER_MS,
        PRODUCER_EXPIRATION_MS,
        PRODUCER_EXPIRATION_CHECK_MS,
        OPEN_FILES_MAX,
        PIPELINES,
        RING_SIZE,
        WAIT_STRATEGY);
  }
}
