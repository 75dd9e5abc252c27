package io.weirmq.bench.partitions;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.message.CreateTopicsRequest;
import io.weirmq.protocol.message.CreateTopicsResponse;
import io.weirmq.protocol.message.ListOffsetsRequest;
import io.weirmq.protocol.message.ListOffsetsResponse;
import io.weirmq.protocol.message.MetadataResponse.MetadataResponseTopic;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What is asked of the broker over the Kafka protocol. Confined to one thread. */
final class PartitionLoad implements AutoCloseable {

  /** As a client waits by default for an answer about topics. */
  private static final int CREATE_TIMEOUT_MS = 60_000;

  private static final int PRODUCE_TIMEOUT_MS = 60_000;

  /** Partitions in one produce request. */
  private static final int PARTITIONS_PER_REQUEST = 250;

  /** Record times of a partition lie so far apart, above {@code segment.ms}. */
  private static final long STEP_MS = 10_000;

  /** The special timestamp of the log end. */
  private static final long LATEST = -1;

  private static final int VALUE_BYTES = 100;

  private final ClusterClient client;

  PartitionLoad(Transport transport, String bootstrap) {
    List<Endpoint> endpoints = ClusterClient.parseBootstrap(bootstrap);
    this.client =
        new ClusterClient(transport, endpoints, "mq-bench", Duration.ofMillis(PRODUCE_TIMEOUT_MS));
  }

  /** Asks for no topics; whoever answers is up. */
  void ping() throws IOException {
    client.metadata(List.of(), false);
  }

  /** Makes a topic in one request, and returns when all its partitions answer. */
  void create(String topic, int partitions) throws IOException {
    CreateTopicsRequest request =
        new CreateTopicsRequest()
            .setTimeoutMs(CREATE_TIMEOUT_MS)
            .setTopics(
                List.of(
                    new CreateTopicsRequest.CreatableTopic()
                        .setName(topic)
                        .setNumPartitions(partitions)
                        .setReplicationFactor((short) 1)
                        .setConfigs(
                            List.of(
                                new CreateTopicsRequest.CreatableTopicConfig()
                                    .setName("segment.ms")
                                    .setValue("1")))));
    try (Reply<CreateTopicsResponse> reply =
        client.controller().call(ApiKey.CREATE_TOPICS, request, CreateTopicsResponse.class)) {
      CreateTopicsResponse.CreatableTopicResult result = reply.message().topics().get(0);
      if (result.errorCode() != ErrorCode.NONE.code()) {
        throw new IOException(
            "topic %s with %d partitions: %s (%s)"
                .formatted(
                    topic,
                    partitions,
                    ErrorCode.forCode(result.errorCode()),
                    result.errorMessage()));
      }
    }
    awaitLogEnds(topic, partitions);
  }

  /**
   * Returns the log ends of all partitions of a topic, once all have one: a broker may answer
   * before it leads all its partitions.
   */
  Map<Integer, Long> awaitLogEnds(String topic, int partitions) throws IOException {
    IOException last = new IOException("never asked");
    for (int attempt = 0; attempt < ClusterClient.ATTEMPTS_MAX; attempt++) {
      try {
        client.topic(topic, false);
        return logEnds(topic, partitions);
      } catch (IOException e) {
        last = e;
        client.pause();
      }
    }
    throw new IOException("topic %s can't be used".formatted(topic), last);
  }

  /**
   * Appends one batch to each partition of a topic, which begins a segment each.
   *
   * @param nowMs wall clock
   * @param round number of this batch, from 0
   * @param rounds batches that a partition gets
   */
  void appendToAll(String topic, int partitions, int round, int rounds, long nowMs)
      throws IOException {
    MetadataResponseTopic metadata = client.topic(topic, false);
    ClusterClient.Broker leader = client.leader(topic, 0);
    long timestampMs = nowMs - (rounds - round) * STEP_MS;
    for (int first = 0; first < partitions; first += PARTITIONS_PER_REQUEST) {
      int end = Math.min(partitions, first + PARTITIONS_PER_REQUEST);
      ProduceRequest request =
          new ProduceRequest()
              .setAcks((short) 1)
              .setTimeoutMs(PRODUCE_TIMEOUT_MS)
              .setTopicData(
                  List.of(
                      new ProduceRequest.TopicProduceData()
                          .setName(topic)
                          .setTopicId(metadata.topicId())
                          .setPartitionData(batches(first, end, timestampMs))));
      try (Reply<ProduceResponse> reply =
          leader.call(ApiKey.PRODUCE, request, ProduceResponse.class)) {
        check(reply.message());
      }
    }
  }

  private static List<ProduceRequest.PartitionProduceData> batches(
      int first, int end, long timestampMs) {
    List<ProduceRequest.PartitionProduceData> data = new ArrayList<>();
    for (int partition = first; partition < end; partition++) {
      ByteBuffer batch =
          new RecordBatchBuilder()
              .append(timestampMs, (ByteBuffer) null, ByteBuffer.allocate(VALUE_BYTES))
              .build();
      data.add(
          new ProduceRequest.PartitionProduceData()
              .setIndex(partition)
              .setRecords(RecordsData.of(batch)));
    }
    return data;
  }

  private static void check(ProduceResponse response) throws IOException {
    for (var topic : response.responses()) {
      for (var partition : topic.partitionResponses()) {
        if (partition.errorCode() != ErrorCode.NONE.code()) {
          throw new IOException(
              "append to partition %d: %s (%s)"
                  .formatted(
                      partition.index(),
                      ErrorCode.forCode(partition.errorCode()),
                      partition.errorMessage()));
        }
      }
    }
  }

  private Map<Integer, Long> logEnds(String topic, int partitions) throws IOException {
    ListOffsetsRequest request =
        new ListOffsetsRequest()
            .setReplicaId(-1)
            .setTopics(
                List.of(
                    new ListOffsetsRequest.ListOffsetsTopic()
                        .setName(topic)
                        .setPartitions(
                            IntStream.range(0, partitions)
                                .mapToObj(
                                    number ->
                                        new ListOffsetsRequest.ListOffsetsPartition()
                                            .setPartitionIndex(number)
                                            .setTimestamp(LATEST))
                                .toList())));
    try (Reply<ListOffsetsResponse> reply =
        client.anyBroker().call(ApiKey.LIST_OFFSETS, request, ListOffsetsResponse.class)) {
      Map<Integer, Long> ends = new HashMap<>();
      for (var partition : reply.message().topics().get(0).partitions()) {
        if (partition.errorCode() != ErrorCode.NONE.code()) {
          throw new IOException(
              "log end of partition %d: %s"
                  .formatted(partition.partitionIndex(), ErrorCode.forCode(partition.errorCode())));
        }
        ends.put(partition.partitionIndex(), partition.offset());
      }
      return ends;
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
