package io.weirmq.server.config;

import static io.weirmq.server.config.ConfigRule.atLeast;
import static io.weirmq.server.config.ConfigRule.between;
import static io.weirmq.server.config.ConfigType.INT;
import static io.weirmq.server.config.ConfigType.LONG;
import static io.weirmq.server.config.ConfigType.SHORT;
import static io.weirmq.server.config.Importance.HIGH;
import static io.weirmq.server.config.Importance.MEDIUM;

import java.util.List;

/** Keys of consumer groups and their offsets. */
public final class GroupKeys {

  /** {@code group.min.session.timeout.ms}. */
  public static final ConfigKey MIN_SESSION_TIMEOUT_MS =
      ConfigKey.of(
              "group.min.session.timeout.ms",
              INT,
              "6000",
              MEDIUM,
              "The shortest session time-out that a group member may ask for, milliseconds.")
          .with(atLeast(1));

  /** {@code group.max.session.timeout.ms}. */
  public static final ConfigKey MAX_SESSION_TIMEOUT_MS =
      ConfigKey.of(
              "group.max.session.timeout.ms",
              INT,
              "1800000",
              MEDIUM,
              "The longest session time-out that a group member may ask for, milliseconds.")
          .with(atLeast(1));

  /** {@code group.initial.rebalance.delay.ms}. */
  public static final ConfigKey INITIAL_REBALANCE_DELAY_MS =
      ConfigKey.of(
              "group.initial.rebalance.delay.ms",
              INT,
              "3000",
              MEDIUM,
              "Milliseconds that an empty group waits for more members before its first rebalance.")
          .with(atLeast(0));

  /** {@code group.max.size}. */
  public static final ConfigKey MAX_SIZE =
      ConfigKey.of(
              "group.max.size",
              INT,
              "2147483647",
              MEDIUM,
              "Members of one group; further ones are refused.")
          .with(atLeast(1));

  /** {@code offset.metadata.max.bytes}. */
  public static final ConfigKey METADATA_BYTES_MAX =
      ConfigKey.of(
              "offset.metadata.max.bytes",
              INT,
              "4096",
              HIGH,
              "The longest text that may be committed with an offset, bytes.")
          .with(atLeast(0));

  /** {@code offsets.commit.timeout.ms}. */
  public static final ConfigKey COMMIT_TIMEOUT_MS =
      ConfigKey.of(
              "offsets.commit.timeout.ms",
              INT,
              "5000",
              HIGH,
              "Milliseconds that a commit waits for all replicas of the offsets topic.")
          .with(atLeast(1));

  /** {@code offsets.load.buffer.size}. */
  public static final ConfigKey LOAD_BUFFER_BYTES =
      ConfigKey.of(
              "offsets.load.buffer.size",
              INT,
              "5242880",
              HIGH,
              "Bytes read at a time when the offsets of a partition are loaded.")
          .with(atLeast(1));

  /** {@code offsets.retention.check.interval.ms}. */
  public static final ConfigKey RETENTION_CHECK_MS =
      ConfigKey.of(
              "offsets.retention.check.interval.ms",
              LONG,
              "600000",
              HIGH,
              "Milliseconds between two looks for expired offsets.")
          .with(atLeast(1));

  /** {@code offsets.retention.minutes}. */
  public static final ConfigKey RETENTION_MINUTES =
      ConfigKey.of(
              "offsets.retention.minutes",
              INT,
              "10080",
              HIGH,
              "Minutes after which the offsets of a group without members expire.")
          .with(atLeast(1));

  /** {@code offsets.topic.compression.codec}. */
  public static final ConfigKey TOPIC_COMPRESSION_CODEC =
      ConfigKey.of(
              "offsets.topic.compression.codec",
              INT,
              "0",
              HIGH,
              "Codec of the offsets topic's batches by its number: 0 none, 1 gzip, 2 snappy, 3 lz4,"
                  + " 4 zstd.")
          .with(between(0, 4));

  /** {@code offsets.topic.num.partitions}. */
  public static final ConfigKey TOPIC_PARTITIONS =
      ConfigKey.of(
              "offsets.topic.num.partitions",
              INT,
              "50",
              HIGH,
              "Partitions of the offsets topic when it is made; must not be changed afterwards.")
          .with(between(1, 10_000));

  /** {@code offsets.topic.replication.factor}. */
  public static final ConfigKey TOPIC_REPLICATION_FACTOR =
      ConfigKey.of(
              "offsets.topic.replication.factor",
              SHORT,
              "1",
              HIGH,
              "Replicas of the offsets topic when it is made, at most one per live broker.")
          .with(atLeast(1));

  /** {@code offsets.topic.segment.bytes}. */
  public static final ConfigKey TOPIC_SEGMENT_BYTES =
      ConfigKey.of(
              "offsets.topic.segment.bytes",
              INT,
              "104857600",
              HIGH,
              "Segment size of the offsets topic when it is made, bytes.")
          .with(atLeast(1));

  private GroupKeys() {}

  static List<ConfigKey> all() {
    return List.of(
        MIN_SESSION_TIMEOUT_MS,
        MAX_SESSION_TIMEOUT_MS,
        INITIAL_REBALANCE_DELAY_MS,
        MAX_SIZE,
        METADATA_BYTES_MAX,
        COMMIT_TIMEOUT_MS,
        LOAD_BUFFER_BYTES,
        RETENTION_CHECK_MS,
        RETENTION_MINUTES,
        TOPIC_COMPRESSION_CODEC,
        TOPIC_PARTITIONS,
        TOPIC_REPLICATION_FACTOR,
        TOPIC_SEGMENT_BYTES);
  }
}
