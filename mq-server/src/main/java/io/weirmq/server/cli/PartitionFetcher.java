package io.weirmq.server.cli;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.RecordCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the partitions of one topic in turn and hands over their records in offset order. Reads
 * what is committed only. Confined to one thread.
 */
final class PartitionFetcher implements AutoCloseable {

  private static final int MAX_BYTES = 4 * 1024 * 1024;
  private static final int MAX_WAIT_MS = 500;
  private static final byte READ_COMMITTED = 1;

  private final ClusterClient client;
  private final MetadataResponse.MetadataResponseTopic topic;
  private final Map<TopicPartition, Long> positions = Offsets.map();
  private final Map<TopicPartition, Long> ends = Offsets.map();
  private final Map<TopicPartition, ClusterClient.Broker> leaders = Offsets.map();
  private final RecordCursor cursor = new RecordCursor(new Decompressor());

  /** Receives records. */
  interface Sink {

    /**
     * Takes the cursor's present record.
     *
     * @return false to stop
     */
    boolean accept(TopicPartition partition, RecordCursor record) throws IOException;
  }

  PartitionFetcher(ClusterClient client, MetadataResponse.MetadataResponseTopic topic) {
    this.client = client;
    this.topic = topic;
  }

  /** Begins, or goes on, at an offset. */
  void seek(TopicPartition partition, long offset) {
    positions.put(partition, offset);
  }

  /** Drops all partitions. */
  void clear() {
    positions.clear();
    ends.clear();
  }

  /** The next offset of each partition; a copy. */
  Map<TopicPartition, Long> positions() {
    Map<TopicPartition, Long> copy = Offsets.map();
    copy.putAll(positions);
    return copy;
  }

  /** Whether all partitions were read up to the end that the last answers told. */
  boolean isAtEnd() {
    return positions.entrySet().stream()
        .allMatch(p -> p.getValue() >= ends.getOrDefault(p.getKey(), Long.MAX_VALUE));
  }

  /**
   * Fetches each partition once; waits for records only where all others are at their ends.
   *
   * @return false where the sink wanted no more
   */
  boolean poll(Sink sink) throws IOException {
    for (Map.Entry<TopicPartition, Long> entry : List.copyOf(positions.entrySet())) {
      int waitMs = isAtEnd() ? Math.max(1, MAX_WAIT_MS / positions.size()) : 0;
      if (!fetch(entry.getKey(), entry.getValue(), waitMs, sink)) {
        return false;
      }
    }
    return true;
  }

  private boolean fetch(TopicPartition partition, long offset, int waitMs, Sink sink)
      throws IOException {
    FetchRequest request =
        new FetchRequest()
            .setMaxWaitMs(waitMs)
            .setMinBytes(1)
            .setMaxBytes(MAX_BYTES)
            .setIsolationLevel(READ_COMMITTED)
            .setSessionEpoch(-1)
            .setTopics(
                List.of(
                    new FetchRequest.FetchTopic()
                        .setTopic(partition.topic())
                        .setTopicId(topic.topicId())
                        .setPartitions(
                            List.of(
                                new FetchRequest.FetchPartition()
                                    .setPartition(partition.partition())
                                    .setFetchOffset(offset)
                                    .setPartitionMaxBytes(MAX_BYTES)))));
    try (Reply<FetchResponse> reply =
        leader(partition).call(ApiKey.FETCH, request, FetchResponse.class)) {
      CommandFailedException.check(reply.message().errorCode(), "fetch of " + partition, null);
      for (FetchResponse.FetchableTopicResponse answered : reply.message().responses()) {
        for (FetchResponse.PartitionData data : answered.partitions()) {
          CommandFailedException.check(
              data.errorCode(), "fetch of %s at offset %d".formatted(partition, offset), null);
          ends.put(partition, data.lastStableOffset());
          if (!deliver(partition, offset, data, sink)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private ClusterClient.Broker leader(TopicPartition partition) throws IOException {
    ClusterClient.Broker leader = leaders.get(partition);
    if (leader == null || !leader.channel().isOpen()) {
      leader = client.leader(partition.topic(), partition.partition());
      leaders.put(partition, leader);
    }
    return leader;
  }

  private boolean deliver(
      TopicPartition partition, long offset, FetchResponse.PartitionData data, Sink sink)
      throws IOException {
    AbortedProducers aborted = new AbortedProducers(data.abortedTransactions());
    for (ByteBuffer bytes : buffers(data.records())) {
      BatchCursor batches = new BatchCursor(bytes);
      while (batches.next()) {
        batches.batch().ensureValid();
        boolean visible = aborted.isVisible(batches.batch());
        if (visible) {
          cursor.open(batches.batch());
          while (cursor.next()) {
            if (cursor.offset() >= offset) {
              positions.put(partition, cursor.offset() + 1);
              if (!sink.accept(partition, cursor)) {
                return false;
              }
            }
          }
        }
        positions.put(partition, batches.batch().nextOffset());
      }
    }
    return true;
  }

  private static List<ByteBuffer> buffers(@Nullable RecordsData records) {
    if (records instanceof RecordsData.Buffers memory) {
      return memory.buffers();
    }
    return List.of();
  }

  @Override
  public void close() {
    cursor.close();
  }
}
