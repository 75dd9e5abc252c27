package io.weirmq.server;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.message.CreateTopicsRequest;
import io.weirmq.protocol.message.CreateTopicsResponse;
import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.storage.record.StoredRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Starts brokers for tests, and makes the requests that tests need again and again. */
public final class TestBroker {

  private TestBroker() {}

  /** Returns a builder of a broker on a free port, with small topics. */
  public static Broker.Builder in(Path folder) {
    return Broker.builder()
        .set("log.dirs", folder.toString())
        .set("listeners", "PLAINTEXT://127.0.0.1:0")
        .set("offsets.topic.num.partitions", "4")
        .set("group.initial.rebalance.delay.ms", "0");
  }

  /** Makes a topic. */
  public static void createTopic(int port, String name, int partitions, Map<String, String> configs)
      throws IOException {
    CreateTopicsRequest.CreatableTopic topic =
        new CreateTopicsRequest.CreatableTopic()
            .setName(name)
            .setNumPartitions(partitions)
            .setReplicationFactor((short) 1);
    configs.forEach(
        (key, value) ->
            topic
                .configs()
                .add(new CreateTopicsRequest.CreatableTopicConfig().setName(key).setValue(value)));
    try (RawClient client = RawClient.connect(port)) {
      CreateTopicsResponse response =
          client.ask(
              ApiKey.CREATE_TOPICS,
              5,
              new CreateTopicsRequest().setTopics(List.of(topic)).setTimeoutMs(10_000),
              CreateTopicsResponse::new);
      short error = response.topics().get(0).errorCode();
      if (error != ErrorCode.NONE.code()) {
        throw new IOException("topic " + name + " not made: " + ErrorCode.forCode(error));
      }
    }
  }

  /** Returns a batch of records with these values. */
  public static ByteBuffer batch(String... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder();
    for (String value : values) {
      builder.append(
          1_700_000_000_000L, null, ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
    }
    return builder.build();
  }

  /** Returns a batch of one record of a size. */
  public static ByteBuffer batchOf(int valueBytes) {
    return batch("v".repeat(valueBytes));
  }

  /** Returns a request that produces one batch. */
  public static ProduceRequest produce(String topic, int partition, int acks, ByteBuffer batch) {
    ProduceRequest.PartitionProduceData data =
        new ProduceRequest.PartitionProduceData()
            .setIndex(partition)
            .setRecords(RecordsData.of(batch));
    return new ProduceRequest()
        .setAcks((short) acks)
        .setTimeoutMs(10_000)
        .setTopicData(
            List.of(
                new ProduceRequest.TopicProduceData()
                    .setName(topic)
                    .setPartitionData(List.of(data))));
  }

  /** Produces one batch with acks=all and returns what the broker says of the partition. */
  public static ProduceResponse.PartitionProduceResponse produce(
      RawClient client, String topic, int partition, ByteBuffer batch) throws IOException {
    return client
        .ask(ApiKey.PRODUCE, 9, produce(topic, partition, -1, batch), ProduceResponse::new)
        .responses()
        .get(0)
        .partitionResponses()
        .get(0);
  }

  /** Returns a fetch without a session of one partition. */
  public static FetchRequest fetch(String topic, int partition, long offset) {
    FetchRequest request =
        new FetchRequest().setMaxWaitMs(0).setMinBytes(1).setMaxBytes(10_000_000);
    add(request, topic, partition, offset, 10_000_000);
    return request;
  }

  /** Adds a partition to a fetch. */
  public static FetchRequest add(
      FetchRequest request, String topic, int partition, long offset, int maxBytes) {
    FetchRequest.FetchTopic last =
        request.topics().isEmpty() ? null : request.topics().get(request.topics().size() - 1);
    if (last == null || !last.topic().equals(topic)) {
      last = new FetchRequest.FetchTopic().setTopic(topic);
      request.topics().add(last);
    }
    last.partitions()
        .add(
            new FetchRequest.FetchPartition()
                .setPartition(partition)
                .setFetchOffset(offset)
                .setPartitionMaxBytes(maxBytes));
    return request;
  }

  /** Sends a fetch and returns the result of its first partition. */
  public static FetchResponse.PartitionData fetchOne(RawClient client, FetchRequest request)
      throws IOException {
    return client
        .ask(ApiKey.FETCH, 12, request, FetchResponse::new)
        .responses()
        .get(0)
        .partitions()
        .get(0);
  }

  /** The text in a buffer; empty where there is none. */
  public static String text(@Nullable ByteBuffer buffer) {
    return buffer == null ? "" : StandardCharsets.UTF_8.decode(buffer.duplicate()).toString();
  }

  /** The values of the records of a result. */
  public static List<String> values(FetchResponse.PartitionData data) throws IOException {
    List<String> values = new ArrayList<>();
    for (StoredRecord record : StoredRecord.readAll(bytes(data), new Decompressor())) {
      values.add(text(record.value()));
    }
    return values;
  }

  /** The records of a result as bytes. */
  public static ByteBuffer bytes(FetchResponse.PartitionData data) {
    if (data.records() instanceof RecordsData.Buffers buffers && !buffers.buffers().isEmpty()) {
      return buffers.buffers().get(0);
    }
    return ByteBuffer.allocate(0);
  }
}
