package io.weirmq.compat.oracle;

import static io.weirmq.compat.oracle.Groups.join;
import static io.weirmq.compat.oracle.Groups.joined;
import static io.weirmq.compat.oracle.Groups.leave;
import static io.weirmq.compat.oracle.Groups.sync;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;

/** ListGroups, DescribeGroups, DeleteGroups, DescribeLogDirs. */
final class DescribeScenarios {
  private DescribeScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("list-groups", DescribeScenarios::listGroups),
        new Scenario("describe-groups", DescribeScenarios::describeGroups),
        new Scenario("delete-groups", DescribeScenarios::deleteGroups),
        new Scenario("describe-log-dirs", DescribeScenarios::logDirs));
  }

  private static JoinGroupResponseData stableGroup(Session s, Session.Peer peer, String group) {
    return s.quietly(
        () -> {
          JoinGroupResponseData first = joined(peer, "join", 5, join(group, "", "t"));
          peer.call("sync", 3, sync(group, first, Map.of(first.memberId(), "assigned")));
          return first;
        });
  }

  private static void listGroups(Session s) {
    // Groups of the scenarios before are part of the answer: the same on both sides.
    Session.Peer peer = s.peer("member");
    JoinGroupResponseData first = stableGroup(s, peer, s.name("stable"));
    for (int version : s.versions(ApiMessageType.LIST_GROUPS)) {
      s.call("all", version, new ListGroupsRequestData());
      if (version >= 4) {
        s.call("stable", version, states("Stable"));
        s.call("stable in other letters", version, states("sTABLE"));
        s.call("dead", version, states("Dead"));
        s.call("unknown state", version, states("Sleeping"));
      }
      if (version >= 5) {
        s.call("classic", version, types("classic"));
        s.call("consumer", version, types("consumer"));
        s.call("unknown type", version, types("sleeping"));
      }
    }
    peer.call("leave", 3, leave(3, s.name("stable"), first.memberId()));
    ListGroupsResponseData after = s.quietly(() -> s.call("", 4, states("Stable")));
    if (after.groups().stream().anyMatch(g -> g.groupId().equals(s.name("stable")))) {
      throw new IllegalStateException("a group without members is listed as stable");
    }
  }

  private static ListGroupsRequestData states(String... states) {
    return new ListGroupsRequestData().setStatesFilter(List.of(states));
  }

  private static ListGroupsRequestData types(String... types) {
    return new ListGroupsRequestData().setTypesFilter(List.of(types));
  }

  private static DescribeGroupsRequestData describe(String... groups) {
    return new DescribeGroupsRequestData().setGroups(List.of(groups));
  }

  private static void describeGroups(Session s) {
    Session.Peer peer = s.peer("member");
    String group = s.name("stable");
    JoinGroupResponseData first = stableGroup(s, peer, group);
    for (int version : s.versions(ApiMessageType.DESCRIBE_GROUPS)) {
      s.call("stable", version, describe(group));
      s.call("unknown", version, describe(s.name("none")));
      s.call("both", version, describe(s.name("none"), group));
      s.call("none", version, describe());
      s.call("empty name", version, describe(""));
      if (version >= 3) {
        s.call("with operations", version, describe(group).setIncludeAuthorizedOperations(true));
      }
    }
    peer.call("leave", 3, leave(3, group, first.memberId()));
    for (int version : s.versions(ApiMessageType.DESCRIBE_GROUPS)) {
      s.call("empty", version, describe(group));
    }
  }

  private static DeleteGroupsRequestData delete(String... groups) {
    return new DeleteGroupsRequestData().setGroupsNames(List.of(groups));
  }

  private static void deleteGroups(Session s) {
    for (int version : s.versions(ApiMessageType.DELETE_GROUPS)) {
      Session.Peer peer = s.peer("member");
      String group = s.name("v" + version);
      JoinGroupResponseData first = stableGroup(s, peer, group);
      s.call("not empty", version, delete(group));
      s.call("unknown", version, delete(s.name("none")));
      s.call("empty name", version, delete(""));
      s.call("none", version, delete());
      peer.call("leave", 3, leave(3, group, first.memberId()));
      s.call("empty and unknown", version, delete(group, s.name("none")));
      s.call("again", version, delete(group));
      s.call("described", 5, describe(group));
    }
  }

  private static void logDirs(Session s) {
    String topic = s.name("t");
    Requests.createTopic(s, topic, 2, Map.of());
    Requests.append(s, topic, 0, Batches.plain("a", "b", "c"));
    for (int version : s.versions(ApiMessageType.DESCRIBE_LOG_DIRS)) {
      s.call("one topic", version, logDirs(topic, 0, 1));
      s.call("one partition", version, logDirs(topic, 1));
      s.call("unknown partition", version, logDirs(topic, 7));
      s.call("unknown topic", version, logDirs(s.name("none"), 0));
      DescribeLogDirsRequestData none = new DescribeLogDirsRequestData();
      s.call("no topics", version, none);
    }
  }

  private static DescribeLogDirsRequestData logDirs(String topic, Integer... partitions) {
    DescribeLogDirsRequestData request = new DescribeLogDirsRequestData();
    request
        .topics()
        .add(new DescribableLogDirTopic().setTopic(topic).setPartitions(List.of(partitions)));
    return request;
  }
}
