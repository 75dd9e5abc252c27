package io.weirmq.storage.internal.log;

import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.segment.SegmentEnvironment;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Which log it is and where it lies. Immutable.
 *
 * @param partition the partition
 * @param topicId the topic's id
 * @param folder the partition's folder
 * @param environment what the segments share with others
 * @param owner what the log tells the data folder
 */
public record LogIdentity(
    TopicPartition partition,
    UUID topicId,
    Path folder,
    SegmentEnvironment environment,
    LogOwner owner) {}
