package io.weirmq.server.config;

import static io.weirmq.server.config.ConfigRule.atLeast;
import static io.weirmq.server.config.ConfigRule.between;
import static io.weirmq.server.config.ConfigRule.oneOf;
import static io.weirmq.server.config.ConfigRule.only;
import static io.weirmq.server.config.ConfigRule.someOf;
import static io.weirmq.server.config.ConfigType.BOOLEAN;
import static io.weirmq.server.config.ConfigType.DOUBLE;
import static io.weirmq.server.config.ConfigType.INT;
import static io.weirmq.server.config.ConfigType.LIST;
import static io.weirmq.server.config.ConfigType.LONG;
import static io.weirmq.server.config.ConfigType.STRING;
import static io.weirmq.server.config.Importance.HIGH;
import static io.weirmq.server.config.Importance.MEDIUM;

import java.util.List;

/** Broker keys that hold for every topic that does not set its own. */
public final class TopicDefaultKeys {

  /** {@code auto.create.topics.enable}. */
  public static final ConfigKey AUTO_CREATE =
      ConfigKey.of(
          "auto.create.topics.enable",
          BOOLEAN,
          "true",
          HIGH,
          "Whether a topic that a client asks for is made where there is none.");

  /** {@code delete.topic.enable}. */
  public static final ConfigKey DELETE_ENABLE =
      ConfigKey.of(
          "delete.topic.enable", BOOLEAN, "true", HIGH, "Whether clients may delete topics.");

  /** {@code num.partitions}. */
  public static final ConfigKey NUM_PARTITIONS =
      ConfigKey.of(
              "num.partitions",
              INT,
              "1",
              MEDIUM,
              "Partitions of a topic that is made without a number of them.")
          .with(between(1, 10_000));

  /** {@code default.replication.factor}. */
  public static final ConfigKey REPLICATION_FACTOR =
      ConfigKey.of(
              "default.replication.factor",
              INT,
              "1",
              MEDIUM,
              "Replicas of a topic that is made without a number of them.")
          .with(between(1, Short.MAX_VALUE));

  /** {@code min.insync.replicas}. */
  public static final ConfigKey MIN_INSYNC_REPLICAS =
      ConfigKey.of(
              "min.insync.replicas",
              INT,
              "1",
              HIGH,
              "Replicas in sync that a write with acks=all demands.")
          .with(atLeast(1))
          .dynamic();

  /** {@code message.max.bytes}. */
  public static final ConfigKey MESSAGE_MAX_BYTES =
      ConfigKey.of("message.max.bytes", INT, "1048588", HIGH, "The largest record batch in bytes.")
          .with(atLeast(0))
          .dynamic();

  /** {@code compression.type}. */
  public static final ConfigKey COMPRESSION_TYPE =
      ConfigKey.of(
              "compression.type",
              STRING,
              "producer",
              HIGH,
              "The codec that batches are stored with; producer keeps what the producer used.")
          .with(oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"))
          .dynamic();

  /** {@code unclean.leader.election.enable}. */
  public static final ConfigKey UNCLEAN_ELECTION =
      ConfigKey.of(
              "unclean.leader.election.enable",
              BOOLEAN,
              "false",
              HIGH,
              "Whether a replica that is not in sync may lead when no other is left.")
          .dynamic();

  /** {@code log.segment.bytes}. */
  public static final ConfigKey SEGMENT_BYTES =
      ConfigKey.of(
              "log.segment.bytes",
              INT,
              "1073741824",
              HIGH,
              "Size of a segment in bytes at which the next one begins.")
          .with(atLeast(1048576))
          .dynamic();

  /** {@code log.roll.ms}. */
  public static final ConfigKey ROLL_MS =
      ConfigKey.optional(
              "log.roll.ms",
              LONG,
              HIGH,
              "Age of a segment in milliseconds at which the next one begins; log.roll.hours where"
                  + " it is not given.")
          .with(atLeast(1))
          .dynamic();

  /** {@code log.roll.hours}. */
  public static final ConfigKey ROLL_HOURS =
      ConfigKey.of(
              "log.roll.hours",
              INT,
              "168",
              HIGH,
              "Age of a segment in hours at which the next one begins.")
          .with(atLeast(1));

  /** {@code log.roll.jitter.ms}. */
  public static final ConfigKey ROLL_JITTER_MS =
      ConfigKey.optional(
              "log.roll.jitter.ms",
              LONG,
              HIGH,
              "At most so many milliseconds are taken off a segment's age at random;"
                  + " log.roll.jitter.hours where it is not given.")
          .with(atLeast(0))
          .dynamic();

  /** {@code log.roll.jitter.hours}. */
  public static final ConfigKey ROLL_JITTER_HOURS =
      ConfigKey.of(
              "log.roll.jitter.hours",
              INT,
              "0",
              HIGH,
              "At most so many hours are taken off a segment's age at random.")
          .with(atLeast(0));

  /** {@code log.retention.ms}. */
  public static final ConfigKey RETENTION_MS =
      ConfigKey.optional(
              "log.retention.ms",
              LONG,
              HIGH,
              "Age in milliseconds at which a segment is removed, -1 for never;"
                  + " log.retention.minutes where it is not given.")
          .with(atLeast(-1))
          .dynamic();

  /** {@code log.retention.minutes}. */
  public static final ConfigKey RETENTION_MINUTES =
      ConfigKey.optional(
          "log.retention.minutes",
          INT,
          HIGH,
          "Age in minutes at which a segment is removed, negative for never; log.retention.hours"
              + " where it is not given.");

  /** {@code log.retention.hours}. */
  public static final ConfigKey RETENTION_HOURS =
      ConfigKey.of(
          "log.retention.hours",
          INT,
          "168",
          HIGH,
          "Age in hours at which a segment is removed, negative for never.");

  /** {@code log.retention.bytes}. */
  public static final ConfigKey RETENTION_BYTES =
      ConfigKey.of(
              "log.retention.bytes",
              LONG,
              "-1",
              HIGH,
              "Size of a partition's log in bytes above which its oldest segments are removed, -1"
                  + " for no bound.")
          .with(atLeast(-1))
          .dynamic();

  /** {@code log.cleanup.policy}. */
  public static final ConfigKey CLEANUP_POLICY =
      ConfigKey.of(
              "log.cleanup.policy",
              LIST,
              "delete",
              MEDIUM,
              "What happens to old records: delete removes old segments, compact keeps the last"
                  + " record of each key.")
          .with(someOf("compact", "delete"))
          .dynamic();

  /** {@code log.index.interval.bytes}. */
  public static final ConfigKey INDEX_INTERVAL_BYTES =
      ConfigKey.of(
              "log.index.interval.bytes",
              INT,
              "4096",
              MEDIUM,
              "Bytes of log per entry of its indexes.")
          .with(atLeast(0))
          .dynamic();

  /** {@code log.index.size.max.bytes}. */
  public static final ConfigKey INDEX_BYTES_MAX =
      ConfigKey.of(
              "log.index.size.max.bytes",
              INT,
              "10485760",
              MEDIUM,
              "Size of an index in bytes at which the next segment begins.")
          .with(atLeast(4))
          .dynamic();

  /** {@code log.message.timestamp.type}. */
  public static final ConfigKey TIMESTAMP_TYPE =
      ConfigKey.of(
              "log.message.timestamp.type",
              STRING,
              "CreateTime",
              MEDIUM,
              "Whether a record keeps the producer's timestamp or gets the time of the append.")
          .with(oneOf("CreateTime", "LogAppendTime"))
          .dynamic();

  /** {@code log.message.timestamp.before.max.ms}. */
  public static final ConfigKey TIMESTAMP_BEFORE_MAX_MS =
      ConfigKey.of(
              "log.message.timestamp.before.max.ms",
              LONG,
              "9223372036854775807",
              MEDIUM,
              "How many milliseconds a record's timestamp may lie in the past.")
          .with(atLeast(0))
          .dynamic();

  /** {@code log.message.timestamp.after.max.ms}. */
  public static final ConfigKey TIMESTAMP_AFTER_MAX_MS =
      ConfigKey.of(
              "log.message.timestamp.after.max.ms",
              LONG,
              "3600000",
              MEDIUM,
              "How many milliseconds a record's timestamp may lie in the future.")
          .with(atLeast(0))
          .dynamic();

  /** {@code log.flush.interval.messages}. */
  public static final ConfigKey FLUSH_MESSAGES =
      ConfigKey.of(
              "log.flush.interval.messages",
              LONG,
              "9223372036854775807",
              HIGH,
              "An append is answered once fewer than this many records up to its last one are not on the disk; 1 for none.")
          .with(atLeast(1))
          .dynamic();

  /** {@code log.flush.interval.ms}. */
  public static final ConfigKey FLUSH_MS =
      ConfigKey.optional(
              "log.flush.interval.ms",
              LONG,
              HIGH,
              "Milliseconds after which a log with new records is put on the disk;"
                  + " log.flush.scheduler.interval.ms where it is not given.")
          .with(atLeast(0))
          .dynamic();

  /** {@code log.segment.delete.delay.ms}. */
  public static final ConfigKey DELETE_DELAY_MS =
      ConfigKey.of(
              "log.segment.delete.delay.ms",
              LONG,
              "60000",
              HIGH,
              "Milliseconds between a file's deletion and its removal from the disk.")
          .with(atLeast(0))
          .dynamic();

  /** {@code log.preallocate}. */
  public static final ConfigKey PREALLOCATE =
      ConfigKey.of(
              "log.preallocate",
              BOOLEAN,
              "false",
              MEDIUM,
              "Whether segments get their full size when they begin; this broker never does that.")
          .with(only("false"));

  /** {@code log.cleaner.delete.retention.ms}. */
  public static final ConfigKey DELETE_RETENTION_MS =
      ConfigKey.of(
              "log.cleaner.delete.retention.ms",
              LONG,
              "86400000",
              MEDIUM,
              "Milliseconds that compaction keeps the record that deletes a key.")
          .with(atLeast(0))
          .dynamic();

  /** {@code log.cleaner.min.cleanable.ratio}. */
  public static final ConfigKey MIN_CLEANABLE_RATIO =
      ConfigKey.of(
              "log.cleaner.min.cleanable.ratio",
              DOUBLE,
              "0.5",
              MEDIUM,
              "Share of a log that must be new since the last compaction before the next.")
          .with(between(0, 1))
          .dynamic();

  /** {@code log.cleaner.min.compaction.lag.ms}. */
  public static final ConfigKey MIN_COMPACTION_LAG_MS =
      ConfigKey.of(
              "log.cleaner.min.compaction.lag.ms",
              LONG,
              "0",
              MEDIUM,
              "Milliseconds that a record is safe from compaction.")
          .with(atLeast(0))
          .dynamic();

  /** {@code log.cleaner.max.compaction.lag.ms}. */
  public static final ConfigKey MAX_COMPACTION_LAG_MS =
      ConfigKey.of(
              "log.cleaner.max.compaction.lag.ms",
              LONG,
              "9223372036854775807",
              MEDIUM,
              "Milliseconds after which a record must have been looked at by compaction.")
          .with(atLeast(1))
          .dynamic();

  private TopicDefaultKeys() {}

  static List<ConfigKey> all() {
    return List.of(
        AUTO_CREATE,
        DELETE_ENABLE,
        NUM_PARTITIONS,
        REPLICATION_FACTOR,
        MIN_INSYNC_REPLICAS,
        MESSAGE_MAX_BYTES,
        COMPRESSION_TYPE,
        UNCLEAN_ELECTION,
        SEGMENT_BYTES,
        ROLL_MS,
        ROLL_HOURS,
        ROLL_JITTER_MS,
        ROLL_JITTER_HOURS,
        RETENTION_MS,
        RETENTION_MINUTES,
        RETENTION_HOURS,
        RETENTION_BYTES,
        CLEANUP_POLICY,
        INDEX_INTERVAL_BYTES,
        INDEX_BYTES_MAX,
        TIMESTAMP_TYPE,
        TIMESTAMP_BEFORE_MAX_MS,
        TIMESTAMP_AFTER_MAX_MS,
        FLUSH_MESSAGES,
        FLUSH_MS,
        DELETE_DELAY_MS,
        PREALLOCATE,
        DELETE_RETENTION_MS,
        MIN_CLEANABLE_RATIO,
        MIN_COMPACTION_LAG_MS,
        MAX_COMPACTION_LAG_MS);
  }
}
