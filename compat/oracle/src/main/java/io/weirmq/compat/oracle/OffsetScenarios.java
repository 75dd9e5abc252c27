package io.weirmq.compat.oracle;

import static io.weirmq.compat.oracle.Requests.listOffsets;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;

/** ListOffsets, OffsetForLeaderEpoch, DeleteRecords. */
final class OffsetScenarios {
  private OffsetScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("list-offsets", OffsetScenarios::list),
        new Scenario("list-offsets-errors", OffsetScenarios::listErrors),
        new Scenario("offset-for-leader-epoch", OffsetScenarios::leaderEpoch),
        new Scenario("delete-records", OffsetScenarios::deleteRecords));
  }

  private static void fill(Session s, String topic) {
    Requests.append(s, topic, 0, Batches.at(Batches.TIME_MS, "a", "b"));
    Requests.append(
        s,
        topic,
        0,
        Batches.edited(
            Batches.compressed(Compression.gzip().build(), "late 1", "late 2", "late 3"),
            b -> {
              // The latest records lie in the middle of the partition, 10 s after the others.
              b.putLong(27, b.getLong(27) + 10_000);
              b.putLong(35, b.getLong(35) + 10_000);
            }));
    Requests.append(s, topic, 0, Batches.at(Batches.TIME_MS + 500, "e", "f"));
  }

  private static void list(Session s) {
    String topic = s.name("t");
    Requests.createTopic(s, topic, 2, Map.of());
    fill(s, topic);
    for (int version : s.versions(ApiMessageType.LIST_OFFSETS)) {
      for (long special : new long[] {-1, -2, -3, -4, -5, -6, -7}) {
        s.call("special " + special, version, listOffsets(topic, 0, special));
        s.call("special " + special + " of nothing", version, listOffsets(topic, 1, special));
      }
      for (long delta : new long[] {-1, 0, 1, 2, 499, 501, 502, 9_999, 10_000, 10_001, 10_003}) {
        s.call("time +" + delta, version, listOffsets(topic, 0, Batches.TIME_MS + delta));
      }
      s.call("time 0", version, listOffsets(topic, 0, 0));
      s.call("time of nothing", version, listOffsets(topic, 1, Batches.TIME_MS));
      if (version >= 2) {
        s.call("read committed", version, listOffsets(topic, 0, -1).setIsolationLevel((byte) 1));
      }
    }
    s.call("debugging replica", 5, listOffsets(topic, 0, -1).setReplicaId(-2));
  }

  private static void listErrors(Session s) {
    String topic = s.name("t");
    Requests.createTopic(s, topic, 1, Map.of());
    fill(s, topic);
    for (int version : s.versions(ApiMessageType.LIST_OFFSETS)) {
      s.call("unknown partition", version, listOffsets(topic, 5, -1));
      s.call("unknown topic", version, listOffsets(s.name("none"), 0, -1));
      s.call("illegal topic", version, listOffsets("a b", 0, -1));
      ListOffsetsRequestData twice = listOffsets(topic, 0, -1);
      twice
          .topics()
          .get(0)
          .setPartitions(
              List.of(
                  new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-1),
                  new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-2)));
      s.call("the same partition twice", version, twice);
      if (version >= 4) {
        ListOffsetsRequestData future = listOffsets(topic, 0, -1);
        future.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(7);
        s.call("future leader epoch", version, future);
        ListOffsetsRequestData current = listOffsets(topic, 0, -1);
        current.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(0);
        s.call("current leader epoch", version, current);
      }
    }
  }

  private static OffsetForLeaderEpochRequestData epoch(
      String topic, int partition, int current, int asked) {
    OffsetForLeaderEpochRequestData request =
        new OffsetForLeaderEpochRequestData().setReplicaId(-1);
    request
        .topics()
        .add(
            new OffsetForLeaderTopic()
                .setTopic(topic)
                .setPartitions(
                    List.of(
                        new OffsetForLeaderPartition()
                            .setPartition(partition)
                            .setCurrentLeaderEpoch(current)
                            .setLeaderEpoch(asked))));
    return request;
  }

  private static void leaderEpoch(Session s) {
    String topic = s.name("t");
    Requests.createTopic(s, topic, 2, Map.of());
    fill(s, topic);
    for (int version : s.versions(ApiMessageType.OFFSET_FOR_LEADER_EPOCH)) {
      for (int asked : new int[] {0, 1, 5, -1}) {
        s.call("epoch " + asked, version, epoch(topic, 0, -1, asked));
        s.call("epoch " + asked + " of nothing", version, epoch(topic, 1, -1, asked));
      }
      s.call("with the current epoch", version, epoch(topic, 0, 0, 0));
      s.call("with a future epoch", version, epoch(topic, 0, 8, 0));
      s.call("unknown partition", version, epoch(topic, 9, -1, 0));
      s.call("unknown topic", version, epoch(s.name("none"), 0, -1, 0));
    }
  }

  private static DeleteRecordsRequestData delete(String topic, int partition, long offset) {
    return new DeleteRecordsRequestData()
        .setTimeoutMs(5_000)
        .setTopics(
            List.of(
                new DeleteRecordsTopic()
                    .setName(topic)
                    .setPartitions(
                        List.of(
                            new DeleteRecordsPartition()
                                .setPartitionIndex(partition)
                                .setOffset(offset)))));
  }

  private static void deleteRecords(Session s) {
    String compacted = s.name("compacted");
    Requests.createTopic(s, compacted, 1, Map.of("cleanup.policy", "compact"));
    Requests.append(s, compacted, 0, Batches.plain("a", "b"));
    for (int version : s.versions(ApiMessageType.DELETE_RECORDS)) {
      String topic = s.name("v" + version);
      Requests.createTopic(s, topic, 1, Map.of());
      fill(s, topic);
      s.call("up to 0", version, delete(topic, 0, 0));
      s.call("up to 3, inside a batch", version, delete(topic, 0, 3));
      s.call("lower again", version, delete(topic, 0, 1));
      s.call("beyond the end", version, delete(topic, 0, 100));
      s.call("offset -2", version, delete(topic, 0, -2));
      s.call("earliest now", 5, listOffsets(topic, 0, -2));
      s.call("by time now", 5, listOffsets(topic, 0, 0));
      s.call("up to the end", version, delete(topic, 0, -1));
      s.call("earliest then", 5, listOffsets(topic, 0, -2));
      s.call("unknown partition", version, delete(topic, 9, 0));
      s.call("unknown topic", version, delete(s.name("none"), 0, 0));
      s.call("illegal topic", version, delete("a b", 0, 0));
      s.call("compacted topic", version, delete(compacted, 0, 1));
      s.call("internal topic", version, delete("__consumer_offsets", 0, 0));
    }
  }
}
