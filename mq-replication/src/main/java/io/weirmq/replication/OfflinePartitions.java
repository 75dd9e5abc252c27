package io.weirmq.replication;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The partitions that this broker should hold and has no usable log of, with the reasons. Safe for
 * use by several threads.
 */
final class OfflinePartitions {

  /**
   * Why a partition is offline.
   *
   * @param cause what the disk said
   * @param mayBeMade whether its log is nowhere, so that it may be made later; false where it lies
   *     in a folder or file that can't be used
   */
  private record Reason(StorageException cause, boolean mayBeMade) {}

  private final Map<TopicPartition, Reason> reasons = new ConcurrentHashMap<>();

  /** Notes a partition whose log is there, or may be, and can't be used. */
  void lost(TopicPartition partition, StorageException cause) {
    reasons.put(partition, new Reason(cause, false));
  }

  /** Notes a partition whose new log could not be made. */
  void uncreated(TopicPartition partition, StorageException cause) {
    reasons.put(partition, new Reason(cause, true));
  }

  void remove(TopicPartition partition) {
    reasons.remove(partition);
  }

  Optional<StorageException> reason(TopicPartition partition) {
    return Optional.ofNullable(reasons.get(partition)).map(Reason::cause);
  }

  int count() {
    return reasons.size();
  }

  /** Some of the partitions whose logs may be made later, at most so many. */
  List<TopicPartition> uncreated(int max) {
    return reasons.entrySet().stream()
        .filter(entry -> entry.getValue().mayBeMade())
        .limit(max)
        .map(Map.Entry::getKey)
        .toList();
  }
}
