package io.weirmq.compat.oracle;

import static io.weirmq.compat.oracle.Groups.join;
import static io.weirmq.compat.oracle.Groups.joined;
import static io.weirmq.compat.oracle.Groups.leave;
import static io.weirmq.compat.oracle.Groups.sync;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;

/** OffsetCommit, OffsetFetch, OffsetDelete. */
final class CommittedOffsetScenarios {
  private static final int FIRST_COMMIT_BY_ID = 10;
  private static final int FIRST_FETCH_OF_GROUPS = 8;

  private CommittedOffsetScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("offset-commit", CommittedOffsetScenarios::commits),
        new Scenario("offset-commit-refused", CommittedOffsetScenarios::refused),
        new Scenario("offset-fetch", CommittedOffsetScenarios::fetches),
        new Scenario("offset-delete", CommittedOffsetScenarios::deletes));
  }

  private static OffsetCommitRequestPartition at(int partition, long offset, String metadata) {
    return new OffsetCommitRequestPartition()
        .setPartitionIndex(partition)
        .setCommittedOffset(offset)
        .setCommittedMetadata(metadata);
  }

  /** A commit without membership. */
  private static OffsetCommitRequestData commit(
      String group, String topic, Uuid id, OffsetCommitRequestPartition... partitions) {
    return new OffsetCommitRequestData()
        .setGroupId(group)
        .setMemberId("")
        .setGenerationIdOrMemberEpoch(-1)
        .setTopics(
            List.of(
                new OffsetCommitRequestTopic()
                    .setName(topic)
                    .setTopicId(id)
                    .setPartitions(List.of(partitions))));
  }

  /** All that a group has committed, or the partitions 0 to 2 of one topic. */
  private static OffsetFetchRequestData fetch(int version, String group, String topic, Uuid id) {
    OffsetFetchRequestData request = new OffsetFetchRequestData();
    if (version < FIRST_FETCH_OF_GROUPS) {
      request.setGroupId(group);
      return request.setTopics(
          topic == null
              ? null
              : List.of(
                  new OffsetFetchRequestTopic()
                      .setName(topic)
                      .setPartitionIndexes(List.of(0, 1, 2))));
    }
    OffsetFetchRequestGroup one = new OffsetFetchRequestGroup().setGroupId(group);
    one.setTopics(
        topic == null
            ? null
            : List.of(
                new OffsetFetchRequestTopics()
                    .setName(topic)
                    .setTopicId(id)
                    .setPartitionIndexes(List.of(0, 1, 2))));
    return request.setGroups(List.of(one));
  }

  private static void commits(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 2, Map.of());
    for (int version : s.versions(ApiMessageType.OFFSET_COMMIT)) {
      String group = s.name("v" + version);
      s.call("first", version, commit(group, topic, id, at(0, 5, "meta"), at(1, 6, null)));
      s.call("what is committed", 7, fetch(7, group, topic, id));
      s.call("back again", version, commit(group, topic, id, at(0, 3, "")));
      s.call("beyond the end", version, commit(group, topic, id, at(0, 1_000_000, "")));
      s.call("offset -1", version, commit(group, topic, id, at(0, -1, "")));
      s.call("unknown partition", version, commit(group, topic, id, at(9, 1, ""), at(1, 7, "")));
      s.call(
          "metadata of 4096 bytes", version, commit(group, topic, id, at(1, 8, "x".repeat(4096))));
      s.call(
          "metadata of 4097 bytes", version, commit(group, topic, id, at(1, 9, "x".repeat(4097))));
      if (version >= 6) {
        s.call(
            "with a leader epoch",
            version,
            commit(group, topic, id, at(1, 10, "").setCommittedLeaderEpoch(0)));
      }
      if (version >= 2 && version <= 4) {
        s.call(
            "with a retention time",
            version,
            commit(group, topic, id, at(0, 4, "")).setRetentionTimeMs(100_000));
      }
      if (version < FIRST_COMMIT_BY_ID) {
        s.call("unknown topic", version, commit(group, s.name("none"), id, at(0, 1, "")));
        s.call("illegal topic", version, commit(group, "a b", id, at(0, 1, "")));
      } else {
        s.call("unknown topic id", version, commit(group, "", new Uuid(4, 4), at(0, 1, "")));
        s.call("zero topic id", version, commit(group, "", Uuid.ZERO_UUID, at(0, 1, "")));
      }
      s.call("nothing", version, commit(group, topic, id, at(0, 1, "")).setTopics(List.of()));
      s.call("what is committed then", 7, fetch(7, group, topic, id));
      s.call("all that is committed", 7, fetch(7, group, null, id));
    }
  }

  private static void refused(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 1, Map.of());
    for (int version : s.versions(ApiMessageType.OFFSET_COMMIT)) {
      String group = s.name("v" + version);
      s.call("empty group", version, commit("", topic, id, at(0, 1, "")));
      s.call(
          "unknown member",
          version,
          commit(group, topic, id, at(0, 1, ""))
              .setMemberId("nobody")
              .setGenerationIdOrMemberEpoch(1));
      s.call(
          "generation without a member",
          version,
          commit(group, topic, id, at(0, 1, "")).setGenerationIdOrMemberEpoch(1));
      Session.Peer peer = s.peer("member");
      JoinGroupResponseData first = joined(peer, "join", 5, join(group, "", topic));
      s.call(
          "before sync",
          version,
          commit(group, topic, id, at(0, 1, ""))
              .setMemberId(first.memberId())
              .setGenerationIdOrMemberEpoch(first.generationId()));
      peer.call("sync", 3, sync(group, first, Map.of(first.memberId(), "x")));
      s.call(
          "without membership in a living group", version, commit(group, topic, id, at(0, 1, "")));
      s.call(
          "wrong generation",
          version,
          commit(group, topic, id, at(0, 1, ""))
              .setMemberId(first.memberId())
              .setGenerationIdOrMemberEpoch(66));
      s.call(
          "generation -1 of a member",
          version,
          commit(group, topic, id, at(0, 1, "")).setMemberId(first.memberId()));
      s.call(
          "unknown member of a living group",
          version,
          commit(group, topic, id, at(0, 1, ""))
              .setMemberId("nobody")
              .setGenerationIdOrMemberEpoch(first.generationId()));
      if (version >= 7) {
        s.call(
            "unknown instance",
            version,
            commit(group, topic, id, at(0, 1, ""))
                .setMemberId(first.memberId())
                .setGroupInstanceId("nobody")
                .setGenerationIdOrMemberEpoch(first.generationId()));
      }
      s.call(
          "good",
          version,
          commit(group, topic, id, at(0, 2, ""))
              .setMemberId(first.memberId())
              .setGenerationIdOrMemberEpoch(first.generationId()));
      peer.call("leave", 3, leave(3, group, first.memberId()));
      s.call("without membership then", version, commit(group, topic, id, at(0, 3, "")));
      s.call("committed", 7, fetch(7, group, null, id));
    }
  }

  private static void fetches(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 3, Map.of());
    String other = s.name("u");
    Uuid otherId = Requests.createTopic(s, other, 1, Map.of());
    String group = s.name("g");
    s.quietly(
        () ->
            s.call(
                "",
                7,
                commit(
                    group,
                    topic,
                    id,
                    at(0, 5, "meta").setCommittedLeaderEpoch(0),
                    at(1, 6, null))));
    s.quietly(() -> s.call("", 7, commit(group, other, otherId, at(0, 1, "other"))));
    for (int version : s.versions(ApiMessageType.OFFSET_FETCH)) {
      s.call("some", version, fetch(version, group, topic, id));
      if (version >= 2) {
        s.call("all", version, fetch(version, group, null, id));
        s.call("all of an unknown group", version, fetch(version, s.name("none"), null, id));
      }
      s.call("of an unknown group", version, fetch(version, s.name("none"), topic, id));
      s.call("of the empty group", version, fetch(version, "", topic, id));
      if (version < 10) {
        s.call("of an unknown topic", version, fetch(version, group, s.name("none"), id));
        s.call("of an illegal topic", version, fetch(version, group, "a b", id));
      } else {
        s.call("of an unknown topic id", version, fetch(version, group, "", new Uuid(6, 6)));
        s.call("of the zero topic id", version, fetch(version, group, "", Uuid.ZERO_UUID));
      }
      if (version >= 7) {
        s.call("stable only", version, fetch(version, group, topic, id).setRequireStable(true));
      }
      if (version >= FIRST_FETCH_OF_GROUPS) {
        OffsetFetchRequestData two = fetch(version, group, null, id);
        two.setGroups(
            List.of(
                two.groups().get(0),
                new OffsetFetchRequestGroup().setGroupId(s.name("none")).setTopics(null)));
        s.call("two groups", version, two);
        s.call("no groups", version, new OffsetFetchRequestData());
      }
      if (version >= 9) {
        OffsetFetchRequestData member = fetch(version, group, topic, id);
        member.groups().get(0).setMemberId("nobody").setMemberEpoch(3);
        s.call("as a member that is none", version, member);
      }
    }
  }

  private static OffsetDeleteRequestData delete(String group, String topic, int... partitions) {
    OffsetDeleteRequestTopic one = new OffsetDeleteRequestTopic().setName(topic);
    for (int partition : partitions) {
      one.partitions().add(new OffsetDeleteRequestPartition().setPartitionIndex(partition));
    }
    OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId(group);
    request.topics().add(one);
    return request;
  }

  private static void deletes(Session s) {
    String topic = s.name("t");
    Uuid id = Requests.createTopic(s, topic, 2, Map.of());
    String other = s.name("u");
    Uuid otherId = Requests.createTopic(s, other, 1, Map.of());
    String group = s.name("g");
    s.quietly(() -> s.call("", 7, commit(group, topic, id, at(0, 5, "a"), at(1, 6, "b"))));
    s.quietly(() -> s.call("", 7, commit(group, other, otherId, at(0, 7, "c"))));
    s.call("one", 0, delete(group, topic, 0));
    s.call("what is left", 7, fetch(7, group, null, id));
    s.call("again", 0, delete(group, topic, 0));
    s.call("unknown partition", 0, delete(group, topic, 9));
    s.call("unknown topic", 0, delete(group, s.name("none"), 0));
    s.call("unknown group", 0, delete(s.name("none"), topic, 0));
    s.call("empty group", 0, delete("", topic, 0));
    s.call("nothing", 0, new OffsetDeleteRequestData().setGroupId(group));
    Session.Peer peer = s.peer("member");
    JoinGroupResponseData first = joined(peer, "join", 5, join(group, "", topic));
    peer.call("sync", 3, sync(group, first, Map.of(first.memberId(), "x")));
    s.call("of a topic that is subscribed", 0, delete(group, topic, 1));
    s.call("of a topic that is not", 0, delete(group, other, 0));
    s.call("what is left then", 7, fetch(7, group, null, id));
    peer.call("leave", 3, leave(3, group, first.memberId()));
  }
}
