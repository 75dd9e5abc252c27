package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.FetchedOffset;
import io.weirmq.server.internal.group.message.OffsetFetchResult;
import io.weirmq.storage.TopicPartition;
import java.util.HashMap;
import java.util.Map;

/** The offsets of a result by partition. Confined to one thread. */
final class FetchedOffsets {

  private final ErrorCode error;
  private final Map<TopicPartition, FetchedOffset> byPartition = new HashMap<>();

  FetchedOffsets(OffsetFetchResult result) {
    this.error = result.error();
    result.offsets().forEach(offset -> byPartition.put(offset.partition(), offset));
  }

  /** The offset of a partition; none where it has none, with the error of the whole if any. */
  FetchedOffset of(String topic, int partition) {
    if (partition >= 0) {
      TopicPartition key = new TopicPartition(topic, partition);
      FetchedOffset found = byPartition.get(key);
      return found == null ? FetchedOffset.refused(key, error) : found;
    }
    // There is no such partition, so it has no offset; its number is told back by the caller.
    return FetchedOffset.refused(new TopicPartition(topic, 0), error);
  }
}
