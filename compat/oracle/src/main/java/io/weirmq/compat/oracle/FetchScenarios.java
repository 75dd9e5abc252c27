package io.weirmq.compat.oracle;

import static io.weirmq.compat.oracle.Requests.fetch;
import static io.weirmq.compat.oracle.Requests.fetchPartition;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;

/** Fetch without sessions: positions, limits, waiting, errors. */
final class FetchScenarios {
  private static final int FIRST_BY_ID = 13;

  private FetchScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("fetch-positions", FetchScenarios::positions),
        new Scenario("fetch-limits", FetchScenarios::limits),
        new Scenario("fetch-addresses", FetchScenarios::addresses),
        new Scenario("fetch-epochs", FetchScenarios::epochs),
        new Scenario("fetch-waiting", FetchScenarios::waiting));
  }

  /** Three batches of two, three and one records, the second one compressed. */
  private static void fill(Session s, String topic, int partition) {
    Requests.append(s, topic, partition, Batches.plain("a", "b"));
    Requests.append(
        s, topic, partition, Batches.compressed(Compression.lz4().build(), "c", "d", "e"));
    Requests.append(s, topic, partition, Batches.plain("f"));
  }

  private static void positions(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    fill(s, topic, 0);
    for (int version : s.versions(ApiMessageType.FETCH)) {
      for (long offset : new long[] {0, 1, 2, 3, 5, 6, 7, 1000, -1, -5, Long.MAX_VALUE}) {
        s.call("from " + offset, version, fetch(topic, id, fetchPartition(0, offset)));
      }
      s.call(
          "read committed",
          version,
          fetch(topic, id, fetchPartition(0, 0)).setIsolationLevel((byte) 1));
      s.call(
          "isolation level 7",
          version,
          fetch(topic, id, fetchPartition(0, 0)).setIsolationLevel((byte) 7));
      if (version >= 11) {
        s.call("with a rack", version, fetch(topic, id, fetchPartition(0, 0)).setRackId("r1"));
      }
    }
    String trimmed = s.name("trimmed");
    Uuid trimmedId = Requests.createTopic(s, trimmed, 1, Map.of());
    fill(s, trimmed, 0);
    s.quietly(
        () ->
            s.call(
                "",
                2,
                new DeleteRecordsRequestData()
                    .setTimeoutMs(5_000)
                    .setTopics(
                        List.of(
                            new DeleteRecordsTopic()
                                .setName(trimmed)
                                .setPartitions(
                                    List.of(
                                        new DeleteRecordsPartition()
                                            .setPartitionIndex(0)
                                            .setOffset(4)))))));
    for (int version : s.versions(ApiMessageType.FETCH)) {
      for (long offset : new long[] {0, 3, 4, 5}) {
        s.call(
            "below and at the log start, from " + offset,
            version,
            fetch(trimmed, trimmedId, fetchPartition(0, offset)));
      }
    }
  }

  private static void limits(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 2, Map.of());
    fill(s, topic, 0);
    fill(s, topic, 1);
    for (int version : s.versions(ApiMessageType.FETCH)) {
      s.call(
          "partition limit 1",
          version,
          fetch(topic, id, fetchPartition(0, 0).setPartitionMaxBytes(1)));
      s.call("total limit 1", version, fetch(topic, id, fetchPartition(0, 0)).setMaxBytes(1));
      s.call("total limit 0", version, fetch(topic, id, fetchPartition(0, 0)).setMaxBytes(0));
      s.call(
          "total limit 1 for two partitions",
          version,
          fetch(topic, id, fetchPartition(1, 0), fetchPartition(0, 0)).setMaxBytes(1));
      s.call(
          "total limit 1, the first partition has nothing",
          version,
          fetch(topic, id, fetchPartition(1, 6), fetchPartition(0, 2)).setMaxBytes(1));
      s.call(
          "partition limit 0 for two partitions",
          version,
          fetch(
              topic,
              id,
              fetchPartition(0, 0).setPartitionMaxBytes(0),
              fetchPartition(1, 0).setPartitionMaxBytes(0)));
      s.call(
          "partition limit -1",
          version,
          fetch(topic, id, fetchPartition(0, 0).setPartitionMaxBytes(-1)));
    }
  }

  private static void addresses(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    fill(s, topic, 0);
    for (int version : s.versions(ApiMessageType.FETCH)) {
      s.call("unknown partition", version, fetch(topic, id, fetchPartition(9, 0)));
      s.call("partition -1", version, fetch(topic, id, fetchPartition(-1, 0)));
      s.call(
          "known and unknown partition",
          version,
          fetch(topic, id, fetchPartition(9, 0), fetchPartition(0, 0)));
      if (version < FIRST_BY_ID) {
        s.call("unknown topic", version, fetch(s.name("none"), id, fetchPartition(0, 0)));
        s.call("illegal topic", version, fetch("a b", id, fetchPartition(0, 0)));
      } else {
        s.call("unknown topic id", version, fetch("", new Uuid(3, 3), fetchPartition(0, 0)));
        s.call("zero topic id", version, fetch("", Uuid.ZERO_UUID, fetchPartition(0, 0)));
      }
      s.call("nothing asked", version, fetch(topic, id).setTopics(List.of()));
    }
    FetchRequestData two = fetch(topic, id, fetchPartition(0, 0));
    two.setTopics(
        List.of(
            two.topics().get(0),
            new FetchTopic()
                .setTopic(s.name("none"))
                .setPartitions(List.of(fetchPartition(0, 0)))));
    s.call("known and unknown topic", 12, two);
  }

  private static void epochs(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    fill(s, topic, 0);
    for (int version : s.versions(ApiMessageType.FETCH)) {
      if (version < 9) {
        continue;
      }
      s.call(
          "current leader epoch",
          version,
          fetch(topic, id, fetchPartition(0, 0).setCurrentLeaderEpoch(0)));
      s.call(
          "future leader epoch",
          version,
          fetch(topic, id, fetchPartition(0, 0).setCurrentLeaderEpoch(9)));
      if (version >= 12) {
        s.call(
            "last fetched epoch is the current one",
            version,
            fetch(topic, id, fetchPartition(0, 2).setLastFetchedEpoch(0)));
      }
    }
  }

  private static void waiting(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    fill(s, topic, 0);
    for (int version : List.of(4, 11, 12, 13)) {
      s.call(
          "more than there is, until the time is over",
          version,
          fetch(topic, id, fetchPartition(0, 0)).setMinBytes(1 << 20).setMaxWaitMs(150));
      s.call(
          "at the end, until the time is over",
          version,
          fetch(topic, id, fetchPartition(0, 6)).setMinBytes(1).setMaxWaitMs(150));
      s.call(
          "an error answers at once",
          version,
          fetch(topic, id, fetchPartition(0, 99)).setMinBytes(1).setMaxWaitMs(10_000));
    }
    Session.Peer reader = s.peer("reader");
    Session.Pending parked =
        reader.send(
            "woken by an append",
            12,
            fetch(topic, id, fetchPartition(0, 6)).setMinBytes(1).setMaxWaitMs(10_000));
    s.pause(100);
    Requests.append(s, topic, 0, Batches.plain("g"));
    parked.answer();
  }
}
