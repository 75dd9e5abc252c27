package io.weirmq.server.internal.group.message;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.storage.TopicPartition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One error code for each partition of a request, or one for the whole. Immutable.
 *
 * @param error {@link ErrorCode#NONE}, or why no partition was looked at
 * @param partitions outcome by partition; empty with an error
 */
public record PartitionErrors(ErrorCode error, Map<TopicPartition, ErrorCode> partitions) {

  /** Copies the map. */
  public PartitionErrors {
    partitions = Map.copyOf(partitions);
  }

  /** A refusal of the whole. */
  public static PartitionErrors refused(ErrorCode error) {
    return new PartitionErrors(error, Map.of());
  }

  /** The same outcome for each partition. */
  public static PartitionErrors ofEach(List<TopicPartition> partitions, ErrorCode error) {
    Map<TopicPartition, ErrorCode> outcome = new LinkedHashMap<>();
    partitions.forEach(partition -> outcome.put(partition, error));
    return new PartitionErrors(ErrorCode.NONE, outcome);
  }

  /** The outcome for a partition; the whole's where there is none of its own. */
  public ErrorCode of(TopicPartition partition) {
    ErrorCode own = partitions.get(partition);
    return own == null ? error : own;
  }
}
