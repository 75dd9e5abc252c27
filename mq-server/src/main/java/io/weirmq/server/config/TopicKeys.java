package io.weirmq.server.config;

import static io.weirmq.server.config.ConfigRule.atLeast;
import static io.weirmq.server.config.ConfigRule.only;
import static io.weirmq.server.config.ConfigType.BOOLEAN;
import static io.weirmq.server.config.ConfigType.INT;
import static io.weirmq.server.config.ConfigType.LIST;
import static io.weirmq.server.config.ConfigType.LONG;
import static io.weirmq.server.config.Importance.MEDIUM;

import io.weirmq.server.config.TopicKey.Synonym;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The table of topic configurations. Immutable. */
public final class TopicKeys {

  private static final long MINUTE_MS = 60_000;
  private static final long HOUR_MS = 3_600_000;

  /** {@code cleanup.policy}. */
  public static final TopicKey CLEANUP_POLICY =
      as("cleanup.policy", TopicDefaultKeys.CLEANUP_POLICY);

  /** {@code compression.type}. */
  public static final TopicKey COMPRESSION_TYPE =
      as("compression.type", TopicDefaultKeys.COMPRESSION_TYPE);

  /** {@code delete.retention.ms}. */
  public static final TopicKey DELETE_RETENTION_MS =
      as("delete.retention.ms", TopicDefaultKeys.DELETE_RETENTION_MS);

  /** {@code file.delete.delay.ms}. */
  public static final TopicKey FILE_DELETE_DELAY_MS =
      as("file.delete.delay.ms", TopicDefaultKeys.DELETE_DELAY_MS);

  /** {@code flush.messages}. */
  public static final TopicKey FLUSH_MESSAGES =
      as("flush.messages", TopicDefaultKeys.FLUSH_MESSAGES);

  /** {@code flush.ms}. */
  public static final TopicKey FLUSH_MS =
      new TopicKey(
          ConfigKey.of(
                  "flush.ms",
                  LONG,
                  "9223372036854775807",
                  MEDIUM,
                  "Milliseconds after which a log with new records is put on the disk.")
              .with(atLeast(0)),
          List.of(
              new Synonym(TopicDefaultKeys.FLUSH_MS, 1),
              new Synonym(StorageKeys.FLUSH_SCHEDULER_MS, 1)));

  /** {@code index.interval.bytes}. */
  public static final TopicKey INDEX_INTERVAL_BYTES =
      as("index.interval.bytes", TopicDefaultKeys.INDEX_INTERVAL_BYTES);

  /** {@code max.compaction.lag.ms}. */
  public static final TopicKey MAX_COMPACTION_LAG_MS =
      as("max.compaction.lag.ms", TopicDefaultKeys.MAX_COMPACTION_LAG_MS);

  /** {@code max.message.bytes}. */
  public static final TopicKey MAX_MESSAGE_BYTES =
      as("max.message.bytes", TopicDefaultKeys.MESSAGE_MAX_BYTES);

  /** {@code message.timestamp.after.max.ms}. */
  public static final TopicKey TIMESTAMP_AFTER_MAX_MS =
      as("message.timestamp.after.max.ms", TopicDefaultKeys.TIMESTAMP_AFTER_MAX_MS);

  /** {@code message.timestamp.before.max.ms}. */
  public static final TopicKey TIMESTAMP_BEFORE_MAX_MS =
      as("message.timestamp.before.max.ms", TopicDefaultKeys.TIMESTAMP_BEFORE_MAX_MS);

  /** {@code message.timestamp.type}. */
  public static final TopicKey TIMESTAMP_TYPE =
      as("message.timestamp.type", TopicDefaultKeys.TIMESTAMP_TYPE);

  /** {@code min.cleanable.dirty.ratio}. */
  public static final TopicKey MIN_CLEANABLE_RATIO =
      as("min.cleanable.dirty.ratio", TopicDefaultKeys.MIN_CLEANABLE_RATIO);

  /** {@code min.compaction.lag.ms}. */
  public static final TopicKey MIN_COMPACTION_LAG_MS =
      as("min.compaction.lag.ms", TopicDefaultKeys.MIN_COMPACTION_LAG_MS);

  /** {@code min.insync.replicas}. */
  public static final TopicKey MIN_INSYNC_REPLICAS =
      as("min.insync.replicas", TopicDefaultKeys.MIN_INSYNC_REPLICAS);

  /** {@code retention.bytes}. */
  public static final TopicKey RETENTION_BYTES =
      as("retention.bytes", TopicDefaultKeys.RETENTION_BYTES);

  /** {@code retention.ms}. */
  public static final TopicKey RETENTION_MS =
      new TopicKey(
          ConfigKey.of(
                  "retention.ms",
                  LONG,
                  "604800000",
                  MEDIUM,
                  "Age in milliseconds at which a segment is removed, -1 for never.")
              .with(atLeast(-1)),
          List.of(
              new Synonym(TopicDefaultKeys.RETENTION_MS, 1),
              new Synonym(TopicDefaultKeys.RETENTION_MINUTES, MINUTE_MS),
              new Synonym(TopicDefaultKeys.RETENTION_HOURS, HOUR_MS)));

  /** {@code segment.bytes}. */
  public static final TopicKey SEGMENT_BYTES = as("segment.bytes", TopicDefaultKeys.SEGMENT_BYTES);

  /** {@code internal.segment.bytes}: a segment size below the least allowed one, for tests. */
  public static final TopicKey INTERNAL_SEGMENT_BYTES =
      new TopicKey(
          ConfigKey.optional(
                  "internal.segment.bytes", INT, MEDIUM, "Overrides segment.bytes in tests.")
              .with(atLeast(1))
              .hidden(),
          List.of());

  /** {@code segment.index.bytes}. */
  public static final TopicKey SEGMENT_INDEX_BYTES =
      as("segment.index.bytes", TopicDefaultKeys.INDEX_BYTES_MAX);

  /** {@code segment.jitter.ms}. */
  public static final TopicKey SEGMENT_JITTER_MS =
      new TopicKey(
          ConfigKey.of(
                  "segment.jitter.ms",
                  LONG,
                  "0",
                  MEDIUM,
                  "At most so many milliseconds are taken off a segment's age at random.")
              .with(atLeast(0)),
          List.of(
              new Synonym(TopicDefaultKeys.ROLL_JITTER_MS, 1),
              new Synonym(TopicDefaultKeys.ROLL_JITTER_HOURS, HOUR_MS)));

  /** {@code segment.ms}. */
  public static final TopicKey SEGMENT_MS =
      new TopicKey(
          ConfigKey.of(
                  "segment.ms",
                  LONG,
                  "604800000",
                  MEDIUM,
                  "Age of a segment in milliseconds at which the next one begins.")
              .with(atLeast(1)),
          List.of(
              new Synonym(TopicDefaultKeys.ROLL_MS, 1),
              new Synonym(TopicDefaultKeys.ROLL_HOURS, HOUR_MS)));

  /** {@code unclean.leader.election.enable}. */
  public static final TopicKey UNCLEAN_ELECTION =
      as("unclean.leader.election.enable", TopicDefaultKeys.UNCLEAN_ELECTION);

  /** {@code preallocate}. */
  public static final TopicKey PREALLOCATE = as("preallocate", TopicDefaultKeys.PREALLOCATE);

  private static final Map<String, TopicKey> BY_NAME = table();

  private TopicKeys() {}

  /** All keys by name, in alphabetical order, without the hidden ones. */
  public static Map<String, TopicKey> all() {
    return BY_NAME;
  }

  /** Returns the key of a name, hidden or not; empty where there is none. */
  public static Optional<TopicKey> find(String name) {
    return name.equals(INTERNAL_SEGMENT_BYTES.name())
        ? Optional.of(INTERNAL_SEGMENT_BYTES)
        : Optional.ofNullable(BY_NAME.get(name));
  }

  /** A topic key that differs from the broker's by name only. */
  private static TopicKey as(String name, ConfigKey broker) {
    ConfigKey key =
        ConfigKey.of(name, broker.type(), broker.defaultText().orElseThrow(), MEDIUM, broker.doc())
            .with(broker.rule());
    return new TopicKey(key, List.of(new Synonym(broker, 1)));
  }

  /** A key of Kafka's that topics may set to its default, so that copied configurations pass. */
  private static TopicKey defaultOnly(String name, ConfigType type, String value, String why) {
    return new TopicKey(ConfigKey.of(name, type, value, MEDIUM, why).with(only(value)), List.of());
  }

  /** A key of Kafka's that topics may set, to no effect. */
  private static TopicKey withoutEffect(String name, ConfigType type, String value) {
    return new TopicKey(ConfigKey.withoutEffect(name, type, value), List.of());
  }

  private static Map<String, TopicKey> table() {
    String tiered = "There is no tiered storage here.";
    List<TopicKey> keys =
        List.of(
            CLEANUP_POLICY,
            COMPRESSION_TYPE,
            DELETE_RETENTION_MS,
            FILE_DELETE_DELAY_MS,
            FLUSH_MESSAGES,
            FLUSH_MS,
            INDEX_INTERVAL_BYTES,
            MAX_COMPACTION_LAG_MS,
            MAX_MESSAGE_BYTES,
            TIMESTAMP_AFTER_MAX_MS,
            TIMESTAMP_BEFORE_MAX_MS,
            TIMESTAMP_TYPE,
            MIN_CLEANABLE_RATIO,
            MIN_COMPACTION_LAG_MS,
            MIN_INSYNC_REPLICAS,
            PREALLOCATE,
            RETENTION_BYTES,
            RETENTION_MS,
            SEGMENT_BYTES,
            SEGMENT_INDEX_BYTES,
            SEGMENT_JITTER_MS,
            SEGMENT_MS,
            UNCLEAN_ELECTION,
            withoutEffect("compression.gzip.level", INT, "-1"),
            withoutEffect("compression.lz4.level", INT, "9"),
            withoutEffect("compression.zstd.level", INT, "3"),
            withoutEffect("follower.replication.throttled.replicas", LIST, ""),
            withoutEffect("leader.replication.throttled.replicas", LIST, ""),
            defaultOnly("local.retention.bytes", LONG, "-2", tiered),
            defaultOnly("local.retention.ms", LONG, "-2", tiered),
            defaultOnly("remote.log.copy.disable", BOOLEAN, "false", tiered),
            defaultOnly("remote.log.delete.on.disable", BOOLEAN, "false", tiered),
            defaultOnly("remote.storage.enable", BOOLEAN, "false", tiered));
    Map<String, TopicKey> byName = new TreeMap<>();
    keys.forEach(key -> byName.put(key.name(), key));
    return Collections.unmodifiableMap(byName);
  }
}
