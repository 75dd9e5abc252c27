package io.weirmq.server.internal.group.offsets;

import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The committed offsets of one group. Confined to one thread (the coordinator's).
 *
 * <p>Holds what is in the log, and knows of commits that are on their way there: those must neither
 * expire nor let their group vanish, as the record of the commit would stand before the tombstone.
 */
public final class GroupOffsets {

  private final NavigableMap<String, NavigableMap<Integer, CommittedOffset>> byTopic =
      new TreeMap<>();
  private final Map<TopicPartition, Integer> pendingCommitCounts = new HashMap<>();

  /** The offset of a partition, null where none is committed. */
  public @Nullable CommittedOffset offset(TopicPartition partition) {
    NavigableMap<Integer, CommittedOffset> partitions = byTopic.get(partition.topic());
    return partitions == null ? null : partitions.get(partition.partition());
  }

  /** Sets the offset of a partition. */
  public void put(TopicPartition partition, CommittedOffset offset) {
    byTopic
        .computeIfAbsent(partition.topic(), topic -> new TreeMap<>())
        .put(partition.partition(), offset);
  }

  /** Forgets the offset of a partition, if there is one. */
  public void remove(TopicPartition partition) {
    NavigableMap<Integer, CommittedOffset> partitions = byTopic.get(partition.topic());
    if (partitions != null && partitions.remove(partition.partition()) != null) {
      if (partitions.isEmpty()) {
        byTopic.remove(partition.topic());
      }
    }
  }

  /** Whether nothing is committed and nothing on its way. */
  public boolean isEmpty() {
    return byTopic.isEmpty() && pendingCommitCounts.isEmpty();
  }

  /** Whether no offset is committed, whatever is on its way. */
  public boolean hasNone() {
    return byTopic.isEmpty();
  }

  /** Notes that a commit is on its way into the log. */
  public void beginCommit(TopicPartition partition) {
    pendingCommitCounts.merge(partition, 1, Integer::sum);
  }

  /** Notes that a commit has reached the log, or never will. */
  public void endCommit(TopicPartition partition) {
    pendingCommitCounts.computeIfPresent(
        partition, (key, count) -> count == 1 ? null : Integer.valueOf(count - 1));
  }

  /** Whether a commit of the partition is on its way. */
  public boolean isCommitPending(TopicPartition partition) {
    return pendingCommitCounts.containsKey(partition);
  }

  /** Visits all offsets, ordered by topic and partition; the visitor must not change them. */
  public void forEach(BiConsumer<TopicPartition, CommittedOffset> visitor) {
    byTopic.forEach(
        (topic, partitions) ->
            partitions.forEach(
                (partition, offset) ->
                    visitor.accept(new TopicPartition(topic, partition), offset)));
  }

  /** All partitions that have an offset, and those that are about to have one. */
  public List<TopicPartition> partitions() {
    List<TopicPartition> partitions = new ArrayList<>();
    forEach((partition, offset) -> partitions.add(partition));
    for (TopicPartition pending : pendingCommitCounts.keySet()) {
      if (offset(pending) == null) {
        partitions.add(pending);
      }
    }
    return partitions;
  }
}
