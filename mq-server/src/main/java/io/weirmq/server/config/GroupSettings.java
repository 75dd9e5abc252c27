package io.weirmq.server.config;

import io.weirmq.storage.CompressionType;
import java.time.Duration;

/**
 * Settings of consumer groups and their offsets. Immutable.
 *
 * @param minSessionTimeoutMs the shortest session time-out that a member may ask for
 * @param maxSessionTimeoutMs the longest session time-out that a member may ask for
 * @param initialRebalanceDelayMs how long an empty group waits for more members
 * @param maxSize members of one group
 * @param offsetMetadataBytesMax the longest text that may be committed with an offset
 * @param commitTimeoutMs how long a commit waits for all replicas
 * @param loadBufferBytes bytes read at a time when offsets are loaded
 * @param retentionCheckInterval time between two looks for expired offsets
 * @param retention age at which the offsets of a group without members expire
 * @param topicCompression codec of the offsets topic's batches
 * @param topicPartitionCount partitions of the offsets topic
 * @param topicReplicationFactor replicas of the offsets topic
 * @param topicSegmentBytes segment size of the offsets topic
 */
public record GroupSettings(
    int minSessionTimeoutMs,
    int maxSessionTimeoutMs,
    int initialRebalanceDelayMs,
    int maxSize,
    int offsetMetadataBytesMax,
    int commitTimeoutMs,
    int loadBufferBytes,
    Duration retentionCheckInterval,
    Duration retention,
    CompressionType topicCompression,
    int topicPartitionCount,
    int topicReplicationFactor,
    int topicSegmentBytes) {

  static GroupSettings of(ConfigValues values) {
    return new GroupSettings(
        values.intValue(GroupKeys.MIN_SESSION_TIMEOUT_MS),
        values.intValue(GroupKeys.MAX_SESSION_TIMEOUT_MS),
        values.intValue(GroupKeys.INITIAL_REBALANCE_DELAY_MS),
        values.intValue(GroupKeys.MAX_SIZE),
        values.intValue(GroupKeys.METADATA_BYTES_MAX),
        values.intValue(GroupKeys.COMMIT_TIMEOUT_MS),
        values.intValue(GroupKeys.LOAD_BUFFER_BYTES),
        Duration.ofMillis(values.longValue(GroupKeys.RETENTION_CHECK_MS)),
        Duration.ofMinutes(values.longValue(GroupKeys.RETENTION_MINUTES)),
        CompressionType.ofId(values.intValue(GroupKeys.TOPIC_COMPRESSION_CODEC)).orElseThrow(),
        values.intValue(GroupKeys.TOPIC_PARTITIONS),
        values.intValue(GroupKeys.TOPIC_REPLICATION_FACTOR),
        values.intValue(GroupKeys.TOPIC_SEGMENT_BYTES));
  }
}
