package io.weirmq.compat.oracle;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Requests that several scenarios need, and the set-up calls made of them. */
final class Requests {
  static final int TIMEOUT_MS = 10_000;

  private Requests() {}

  static CreatableTopic topic(String name, int partitions, Map<String, String> configs) {
    CreatableTopic topic =
        new CreatableTopic()
            .setName(name)
            .setNumPartitions(partitions)
            .setReplicationFactor((short) 1);
    configs.forEach(
        (key, value) ->
            topic.configs().add(new CreatableTopicConfig().setName(key).setValue(value)));
    return topic;
  }

  static CreateTopicsRequestData create(CreatableTopic... topics) {
    CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(TIMEOUT_MS);
    for (CreatableTopic topic : topics) {
      request.topics().mustAdd(topic);
    }
    return request;
  }

  /** Creates a topic, unrecorded, waits until it can be written to, and returns its id. */
  static Uuid createTopic(Session s, String name, int partitions, Map<String, String> configs) {
    s.quietly(() -> s.call("", 7, create(topic(name, partitions, configs))));
    return awaitTopic(s, name, partitions);
  }

  /** Waits until a topic has its partitions and each of them answers. */
  static Uuid awaitTopic(Session s, String name, int partitions) {
    s.until(
        "topic " + name,
        () -> metadata(s, name).partitions().size() == partitions && answers(s, name, partitions));
    return s.quietly(() -> metadata(s, name).topicId());
  }

  private static boolean answers(Session s, String topic, int partitions) {
    for (int partition = 0; partition < partitions; partition++) {
      ListOffsetsResponseData answer = s.call("", 5, listOffsets(topic, partition, -1));
      if (answer.topics().get(0).partitions().get(0).errorCode() != 0) {
        return false;
      }
    }
    return true;
  }

  /** What Metadata says of one topic; call it inside {@link Session#quietly}. */
  static MetadataResponseTopic metadata(Session s, String topic) {
    MetadataResponseData answer =
        s.call(
            "",
            12,
            new MetadataRequestData()
                .setAllowAutoTopicCreation(false)
                .setTopics(List.of(new MetadataRequestTopic().setName(topic))));
    return answer.topics().iterator().next();
  }

  static ListOffsetsRequestData listOffsets(String topic, int partition, long timestamp) {
    return new ListOffsetsRequestData()
        .setReplicaId(-1)
        .setTopics(
            List.of(
                new ListOffsetsTopic()
                    .setName(topic)
                    .setPartitions(
                        List.of(
                            new ListOffsetsPartition()
                                .setPartitionIndex(partition)
                                .setTimestamp(timestamp)))));
  }

  /** A Produce request by name and by id: each version takes the one that it has. */
  static ProduceRequestData produce(
      String topic, Uuid topicId, int partition, int acks, MemoryRecords records) {
    TopicProduceData data =
        new TopicProduceData()
            .setName(topic)
            .setTopicId(topicId)
            .setPartitionData(
                List.of(new PartitionProduceData().setIndex(partition).setRecords(records)));
    ProduceRequestData request =
        new ProduceRequestData().setAcks((short) acks).setTimeoutMs(TIMEOUT_MS);
    request.topicData().add(data);
    return request;
  }

  /** Appends a batch, unrecorded. */
  static void append(Session s, String topic, int partition, MemoryRecords records) {
    s.quietly(() -> s.call("", 9, produce(topic, Uuid.ZERO_UUID, partition, -1, records)));
  }

  static FetchRequestData.FetchPartition fetchPartition(int partition, long offset) {
    return new FetchRequestData.FetchPartition()
        .setPartition(partition)
        .setFetchOffset(offset)
        .setCurrentLeaderEpoch(-1)
        .setLastFetchedEpoch(-1)
        .setLogStartOffset(-1)
        .setPartitionMaxBytes(1 << 20);
  }

  static FetchRequestData fetch(
      String topic, Uuid topicId, FetchRequestData.FetchPartition... partitions) {
    return new FetchRequestData()
        .setMaxWaitMs(0)
        .setMinBytes(0)
        .setMaxBytes(10 << 20)
        .setTopics(
            List.of(
                new FetchRequestData.FetchTopic()
                    .setTopic(topic)
                    .setTopicId(topicId)
                    .setPartitions(List.of(partitions))));
  }
}
