package io.weirmq.compat.oracle;

import static io.weirmq.compat.oracle.Requests.create;
import static io.weirmq.compat.oracle.Requests.topic;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;

/** CreateTopics, CreatePartitions, DeleteTopics. */
final class TopicScenarios {
  private TopicScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("create-topics", TopicScenarios::createGood),
        new Scenario("create-topics-no-time", TopicScenarios::createWithoutTime),
        new Scenario("create-topics-refused", TopicScenarios::createBad),
        new Scenario("create-topics-assigned", TopicScenarios::createAssigned),
        new Scenario("create-topics-dry", TopicScenarios::createDry),
        new Scenario("create-partitions", TopicScenarios::partitions),
        new Scenario("delete-topics", TopicScenarios::delete),
        new Scenario("topic-ids", TopicScenarios::ids));
  }

  private static void createGood(Session s) {
    for (int version : s.versions(ApiMessageType.CREATE_TOPICS)) {
      String v = s.name("v" + version);
      s.call("three partitions", version, create(topic(v + "-a", 3, Map.of())));
      Requests.awaitTopic(s, v + "-a", 3);
      s.call("metadata of it", 12, metadataOf(v + "-a"));
      s.call(
          "with configs",
          version,
          create(topic(v + "-b", 1, Map.of("retention.ms", "1000", "cleanup.policy", "compact"))));
      if (version >= 4) {
        s.call(
            "broker defaults",
            version,
            create(topic(v + "-c", -1, Map.of()).setReplicationFactor((short) -1)));
      }
      s.call(
          "two at once",
          version,
          create(topic(v + "-d", 1, Map.of()), topic(v + "-e", 2, Map.of())));
      s.call(
          "one good, one bad",
          version,
          create(topic(v + "-f", 1, Map.of()), topic("bad name", 2, Map.of())));
      s.call("exists", version, create(topic(v + "-a", 1, Map.of())));
      s.call("none", version, create());
      s.call(
          "longest name",
          version,
          create(topic((v + "x".repeat(249)).substring(0, 249), 1, Map.of())));
    }
  }

  private static void createWithoutTime(Session s) {
    for (int version : s.versions(ApiMessageType.CREATE_TOPICS)) {
      s.call(
          "timeout 0", version, create(topic(s.name("v" + version), 1, Map.of())).setTimeoutMs(0));
    }
  }

  private static MetadataRequestData metadataOf(String topic) {
    return new MetadataRequestData()
        .setAllowAutoTopicCreation(false)
        .setTopics(List.of(new MetadataRequestTopic().setName(topic)));
  }

  private static void createBad(Session s) {
    Requests.createTopic(s, s.name("dot.ted"), 1, Map.of());
    for (int version : s.versions(ApiMessageType.CREATE_TOPICS)) {
      for (String bad :
          List.of("", ".", "..", "a b", "a/b", "\u00e4", "x".repeat(250), "a\u0000b")) {
        s.call("name '" + bad + "'", version, create(topic(bad, 1, Map.of())));
      }
      String v = s.name("v" + version);
      s.call("collides", version, create(topic(s.name("dot_ted"), 1, Map.of())));
      s.call("0 partitions", version, create(topic(v, 0, Map.of())));
      s.call("-2 partitions", version, create(topic(v, -2, Map.of())));
      s.call("factor 0", version, create(topic(v, 1, Map.of()).setReplicationFactor((short) 0)));
      s.call("factor 2", version, create(topic(v, 1, Map.of()).setReplicationFactor((short) 2)));
      s.call("factor -2", version, create(topic(v, 1, Map.of()).setReplicationFactor((short) -2)));
      s.call("unknown config", version, create(topic(v, 1, Map.of("no.such.config", "1"))));
      s.call("malformed config", version, create(topic(v, 1, Map.of("retention.ms", "long"))));
      s.call("config out of range", version, create(topic(v, 1, Map.of("segment.bytes", "1"))));
      s.call(
          "config not in the list",
          version,
          create(topic(v, 1, Map.of("compression.type", "zip"))));
      CreatableTopic nullConfig = topic(v, 1, Map.of());
      nullConfig
          .configs()
          .add(new CreateTopicsRequestData.CreatableTopicConfig().setName("retention.ms"));
      s.call("config without a value", version, create(nullConfig));
      CreateTopicsRequestData twice = create();
      twice.topics().add(topic(v, 1, Map.of()));
      twice.topics().add(topic(v, 2, Map.of()));
      s.call("twice the same", version, twice);
    }
  }

  private static CreatableTopic assigned(String name, List<List<Integer>> replicas) {
    CreatableTopic topic =
        new CreatableTopic().setName(name).setNumPartitions(-1).setReplicationFactor((short) -1);
    for (int partition = 0; partition < replicas.size(); partition++) {
      topic
          .assignments()
          .add(
              new CreatableReplicaAssignment()
                  .setPartitionIndex(partition)
                  .setBrokerIds(replicas.get(partition)));
    }
    return topic;
  }

  private static void createAssigned(Session s) {
    for (int version : s.versions(ApiMessageType.CREATE_TOPICS)) {
      String v = s.name("v" + version);
      s.call("good", version, create(assigned(v, List.of(List.of(1), List.of(1)))));
      Requests.awaitTopic(s, v, 2);
      s.call("unknown broker", version, create(assigned(v + "-x", List.of(List.of(99)))));
      s.call("no broker", version, create(assigned(v + "-x", List.of(List.of()))));
      s.call("same broker twice", version, create(assigned(v + "-x", List.of(List.of(1, 1)))));
      s.call(
          "different factors",
          version,
          create(assigned(v + "-x", List.of(List.of(1), List.of(1, 2)))));
      CreatableTopic moved =
          new CreatableTopic()
              .setName(v + "-x")
              .setNumPartitions(-1)
              .setReplicationFactor((short) -1);
      moved
          .assignments()
          .add(new CreatableReplicaAssignment().setPartitionIndex(3).setBrokerIds(List.of(1)));
      s.call("partitions not from 0", version, create(moved));
      s.call(
          "with a number of partitions too",
          version,
          create(assigned(v + "-x", List.of(List.of(1))).setNumPartitions(1)));
      s.call(
          "with a factor too",
          version,
          create(assigned(v + "-x", List.of(List.of(1))).setReplicationFactor((short) 1)));
    }
  }

  private static void createDry(Session s) {
    Requests.createTopic(s, s.name("there"), 1, Map.of());
    for (int version : s.versions(ApiMessageType.CREATE_TOPICS)) {
      String v = s.name("v" + version);
      s.call("good", version, create(topic(v, 3, Map.of())).setValidateOnly(true));
      s.call("exists", version, create(topic(s.name("there"), 3, Map.of())).setValidateOnly(true));
      s.call("bad name", version, create(topic("a b", 3, Map.of())).setValidateOnly(true));
      s.call(
          "bad config",
          version,
          create(topic(v, 3, Map.of("retention.ms", "?"))).setValidateOnly(true));
      s.call("nothing was made", 12, metadataOf(v));
    }
  }

  private static CreatePartitionsRequestData grow(
      String topic, int count, List<List<Integer>> assignments) {
    List<CreatePartitionsAssignment> assigned = null;
    if (assignments != null) {
      assigned = new ArrayList<>();
      for (List<Integer> brokers : assignments) {
        assigned.add(new CreatePartitionsAssignment().setBrokerIds(brokers));
      }
    }
    CreatePartitionsRequestData request = new CreatePartitionsRequestData().setTimeoutMs(10_000);
    request
        .topics()
        .add(new CreatePartitionsTopic().setName(topic).setCount(count).setAssignments(assigned));
    return request;
  }

  private static void partitions(Session s) {
    for (int version : s.versions(ApiMessageType.CREATE_PARTITIONS)) {
      String topic = s.name("v" + version);
      Requests.createTopic(s, topic, 2, Map.of());
      s.call("dry", version, grow(topic, 4, null).setValidateOnly(true));
      s.call("to 3", version, grow(topic, 3, null));
      Requests.awaitTopic(s, topic, 3);
      s.call("metadata of it", 12, metadataOf(topic));
      s.call("to 3 again", version, grow(topic, 3, null));
      s.call("to 2", version, grow(topic, 2, null));
      s.call("to 0", version, grow(topic, 0, null));
      s.call("to -1", version, grow(topic, -1, null));
      s.call("unknown topic", version, grow(s.name("none"), 3, null));
      s.call("illegal topic", version, grow("a b", 3, null));
      s.call("assigned to an unknown broker", version, grow(topic, 4, List.of(List.of(99))));
      s.call("assigned to nobody", version, grow(topic, 4, List.of(List.of())));
      s.call("too few assignments", version, grow(topic, 5, List.of(List.of(1))));
      s.call("too many assignments", version, grow(topic, 4, List.of(List.of(1), List.of(1))));
      s.call("two replicas", version, grow(topic, 4, List.of(List.of(1, 1))));
      s.call("assigned well", version, grow(topic, 4, List.of(List.of(1))));
      Requests.awaitTopic(s, topic, 4);
      s.call("nothing", version, new CreatePartitionsRequestData().setTimeoutMs(1_000));
      CreatePartitionsRequestData twice = grow(topic, 5, null);
      twice
          .topics()
          .add(new CreatePartitionsTopic().setName(topic).setCount(6).setAssignments(null));
      s.call("twice the same", version, twice);
      s.call(
          "configured retention in dry run", version, grow(topic, 2, null).setValidateOnly(true));
    }
    s.call("internal topic", 3, grow("__consumer_offsets", 2, null));
  }

  private static DeleteTopicsRequestData named(int version, String... names) {
    DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTimeoutMs(10_000);
    for (String name : names) {
      if (version >= 6) {
        request.topics().add(new DeleteTopicState().setName(name));
      } else {
        request.topicNames().add(name);
      }
    }
    return request;
  }

  private static DeleteTopicsRequestData byId(String name, Uuid id) {
    DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTimeoutMs(10_000);
    request.topics().add(new DeleteTopicState().setName(name).setTopicId(id));
    return request;
  }

  private static void delete(Session s) {
    for (int version : s.versions(ApiMessageType.DELETE_TOPICS)) {
      String topic = s.name("v" + version);
      Requests.createTopic(s, topic, 1, Map.of());
      Requests.createTopic(s, topic + "-2", 1, Map.of());
      s.call("one", version, named(version, topic));
      awaitGone(s, topic);
      s.call("it is gone", 12, metadataOf(topic));
      s.call("again", version, named(version, topic));
      s.call("known and unknown", version, named(version, topic, topic + "-2"));
      s.call("illegal", version, named(version, "a b"));
      s.call("empty name", version, named(version, ""));
      s.call("none", version, named(version));
      if (version >= 6) {
        Uuid id = Requests.createTopic(s, topic + "-3", 1, Map.of());
        s.call("by name and id", version, byId(topic + "-3", id));
        s.call("by neither", version, byId(null, Uuid.ZERO_UUID));
        s.call("by unknown id", version, byId(null, new Uuid(5, 5)));
        s.call("by id", version, byId(null, id));
        awaitGone(s, topic + "-3");
        s.call("by the same id again", version, byId(null, id));
        Requests.createTopic(s, topic + "-4", 1, Map.of());
        s.call("twice the same", version, named(version, topic + "-4", topic + "-4"));
      }
    }
  }

  private static void awaitGone(Session s, String topic) {
    s.until("no topic " + topic, () -> Requests.metadata(s, topic).errorCode() == 3);
  }

  /** A topic that is made again is another one. */
  private static void ids(Session s) {
    String topic = s.name("t");
    Uuid old = Requests.createTopic(s, topic, 1, Map.of());
    Requests.append(s, topic, 0, Batches.plain("a", "b"));
    s.call("first", 12, metadataOf(topic));
    s.quietly(() -> s.call("", 6, named(6, topic)));
    awaitGone(s, topic);
    Uuid recent = Requests.createTopic(s, topic, 1, Map.of());
    s.call("second", 12, metadataOf(topic));
    s.call("fetch by the old id", 13, Requests.fetch(topic, old, Requests.fetchPartition(0, 0)));
    s.call("fetch by the new id", 13, Requests.fetch(topic, recent, Requests.fetchPartition(0, 0)));
    s.call("produce by the old id", 13, Requests.produce(topic, old, 0, 1, Batches.plain("c")));
    s.call("produce by the new id", 13, Requests.produce(topic, recent, 0, 1, Batches.plain("c")));
  }
}
