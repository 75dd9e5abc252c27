package io.weirmq.compat.oracle;

import static io.weirmq.compat.oracle.Groups.heartbeat;
import static io.weirmq.compat.oracle.Groups.join;
import static io.weirmq.compat.oracle.Groups.joined;
import static io.weirmq.compat.oracle.Groups.leave;
import static io.weirmq.compat.oracle.Groups.sync;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;

/** Groups with several members on several connections: rebalances, and static members. */
final class MembershipScenarios {
  private MembershipScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("two-members", s -> twoMembers(s, 2, 1)),
        new Scenario("two-members-v5", s -> twoMembers(s, 5, 3)),
        new Scenario("two-members-v9", s -> twoMembers(s, 9, 5)),
        new Scenario("follower-leaves", MembershipScenarios::followerLeaves),
        new Scenario("follower-joins-again", MembershipScenarios::followerJoinsAgain),
        new Scenario("protocol-votes", MembershipScenarios::votes),
        new Scenario("static-members", MembershipScenarios::staticMembers),
        new Scenario("static-members-v5", MembershipScenarios::staticMemberOfOldVersion));
  }

  /**
   * One member first; the second joins, which parks it until the first has come back; both sync,
   * the follower first, so that it waits for the leader.
   */
  private static void twoMembers(Session s, int joinVersion, int syncVersion) {
    String group = s.name("g");
    String topic = s.name("t");
    Requests.createTopic(s, topic, 1, Map.of());
    Session.Peer a = s.peer("a");
    Session.Peer b = s.peer("b");
    JoinGroupResponseData first = joined(a, "a joins", joinVersion, join(group, "", topic));
    a.call("a syncs", syncVersion, sync(group, first, Map.of(first.memberId(), "all")));

    String idOfB = "";
    if (joinVersion >= 4) {
      JoinGroupResponseData refused =
          b.call("b asks for an id", joinVersion, join(group, "", topic));
      idOfB = refused.memberId();
      a.call("pending b disturbs nobody", 3, heartbeat(group, first));
    }
    Session.Pending joinOfB = b.send("b joins", joinVersion, join(group, idOfB, topic));
    awaitRebalance(s, a, group, first);
    a.call("a is told to join again", 3, heartbeat(group, first));
    a.call("a may still commit", 5, commit(group, topic, first, 1));
    s.call("described while preparing", 5, described(group));
    JoinGroupResponseData leader =
        a.call("a joins again", joinVersion, join(group, first.memberId(), topic));
    JoinGroupResponseData follower = joinOfB.answer();
    a.call("a may not commit before sync", 5, commit(group, topic, leader, 1));
    s.call("described while completing", 5, described(group));
    Session.Pending syncOfB = b.send("b syncs", syncVersion, sync(group, follower, Map.of()));
    s.pause(50);
    b(s, group, follower);
    a.call(
        "a syncs for both",
        syncVersion,
        sync(group, leader, Map.of(leader.memberId(), "of a", follower.memberId(), "of b")));
    syncOfB.answer();
    s.call("described when stable", 5, described(group));
    a.call("a commits", 5, commit(group, topic, leader, 2));
    b.call(
        "b commits with an old generation",
        5,
        commit(group, topic, follower, 3).setGenerationIdOrMemberEpoch(1));
    b.call("b's heartbeat", 3, heartbeat(group, follower));

    a.call("the leader leaves", 3, leave(3, group, leader.memberId()));
    b.call("b is told to join again", 3, heartbeat(group, follower));
    JoinGroupResponseData alone =
        b.call("b joins alone", joinVersion, join(group, follower.memberId(), topic));
    b.call("b syncs alone", syncVersion, sync(group, alone, Map.of(alone.memberId(), "all")));
    b.call("b leaves", 3, leave(3, group, alone.memberId()));
    s.call("described when empty", 5, described(group));
  }

  /** A third party with the id of b: its heartbeat while the group is completing. */
  private static void b(Session s, String group, JoinGroupResponseData follower) {
    s.call("heartbeat of b while it waits", 3, heartbeat(group, follower));
  }

  private static void awaitRebalance(
      Session s, Session.Peer peer, String group, JoinGroupResponseData joined) {
    s.until(
        "a rebalance of " + group,
        () ->
            peer.<org.apache.kafka.common.message.HeartbeatResponseData>call(
                        "", 3, heartbeat(group, joined))
                    .errorCode()
                == 27);
  }

  private static DescribeGroupsRequestData described(String group) {
    return new DescribeGroupsRequestData().setGroups(List.of(group));
  }

  private static OffsetCommitRequestData commit(
      String group, String topic, JoinGroupResponseData joined, long offset) {
    OffsetCommitRequestPartition partition =
        new OffsetCommitRequestPartition()
            .setPartitionIndex(0)
            .setCommittedOffset(offset)
            .setCommittedMetadata("m");
    return new OffsetCommitRequestData()
        .setGroupId(group)
        .setMemberId(joined.memberId())
        .setGenerationIdOrMemberEpoch(joined.generationId())
        .setTopics(
            List.of(
                new OffsetCommitRequestTopic().setName(topic).setPartitions(List.of(partition))));
  }

  /** What two members need to be stable: a leads, b follows. */
  private record Pair(
      Session.Peer a,
      JoinGroupResponseData leader,
      Session.Peer b,
      JoinGroupResponseData follower) {}

  private static Pair stable(
      Session s, String group, JoinGroupRequestData ofA, JoinGroupRequestData ofB) {
    Session.Peer a = s.peer("a");
    Session.Peer b = s.peer("b");
    JoinGroupResponseData first = joined(a, "a joins", 7, ofA);
    a.call("a syncs", 4, sync(group, first, Map.of(first.memberId(), "all")));
    JoinGroupResponseData refused = b.call("b asks for an id", 7, ofB);
    ofB.setMemberId(refused.memberId());
    Session.Pending joinOfB = b.send("b joins", 7, ofB);
    awaitRebalance(s, a, group, first);
    JoinGroupResponseData leader = a.call("a joins again", 7, ofA.setMemberId(first.memberId()));
    JoinGroupResponseData follower = joinOfB.answer();
    a.call(
        "a syncs for both",
        4,
        sync(group, leader, Map.of(leader.memberId(), "of a", follower.memberId(), "of b")));
    b.call("b syncs", 4, sync(group, follower, Map.of()));
    return new Pair(a, leader, b, follower);
  }

  private static void followerLeaves(Session s) {
    String group = s.name("g");
    Pair pair = stable(s, group, join(group, "", "t"), join(group, "", "t"));
    LeaveGroupRequestData both =
        new LeaveGroupRequestData()
            .setGroupId(group)
            .setMembers(
                List.of(
                    new MemberIdentity().setMemberId(pair.follower().memberId()),
                    new MemberIdentity().setMemberId("nobody")));
    pair.b().call("b and nobody leave", 4, both);
    pair.a().call("a is told", 4, heartbeat(group, pair.leader()));
    pair.b().call("b is unknown", 4, heartbeat(group, pair.follower()));
    JoinGroupResponseData alone =
        pair.a().call("a joins alone", 7, join(group, pair.leader().memberId(), "t"));
    pair.a().call("a syncs alone", 4, sync(group, alone, Map.of(alone.memberId(), "all")));
    pair.a().call("a leaves", 4, leave(4, group, alone.memberId()));
  }

  private static void followerJoinsAgain(Session s) {
    String group = s.name("g");
    Pair pair = stable(s, group, join(group, "", "t"), join(group, "", "t"));
    pair.b().call("unchanged: no rebalance", 7, join(group, pair.follower().memberId(), "t"));
    pair.a().call("a notices nothing", 4, heartbeat(group, pair.leader()));
    Session.Pending changed =
        pair.b().send("changed: rebalance", 7, join(group, pair.follower().memberId(), "t", "u"));
    awaitRebalance(s, pair.a(), group, pair.leader());
    JoinGroupResponseData leader =
        pair.a().call("a joins again", 7, join(group, pair.leader().memberId(), "t"));
    JoinGroupResponseData follower = changed.answer();
    Session.Pending waiting = pair.b().send("b syncs", 4, sync(group, follower, Map.of()));
    s.pause(50);
    pair.a().call("the leader's leaving sends b back", 4, leave(4, group, leader.memberId()));
    waiting.answer();
    pair.b().call("b leaves", 4, leave(4, group, follower.memberId()));
  }

  /** Both support two protocols but prefer another: the common preference wins. */
  private static void votes(Session s) {
    String group = s.name("g");
    JoinGroupRequestData ofA = join(group, "", "t");
    ofA.protocols().add(Groups.protocol("roundrobin", "t"));
    JoinGroupRequestData ofB = join(group, "", "t");
    ofB.setProtocols(new JoinGroupRequestData.JoinGroupRequestProtocolCollection());
    ofB.protocols().add(Groups.protocol("sticky", "t"));
    ofB.protocols().add(Groups.protocol("roundrobin", "t"));
    Pair pair = stable(s, group, ofA, ofB);
    s.call("described", 5, described(group));
    pair.b().call("b leaves", 4, leave(4, group, pair.follower().memberId()));
    pair.a().call("a leaves", 4, leave(4, group, pair.leader().memberId()));
  }

  private static void staticMembers(Session s) {
    String group = s.name("g");
    Session.Peer a = s.peer("a");
    JoinGroupRequestData request = join(group, "", "t").setGroupInstanceId("one");
    JoinGroupResponseData first = a.call("joins without asking for an id", 9, request);
    a.call("syncs", 5, sync(group, first, Map.of(first.memberId(), "x")).setGroupInstanceId("one"));
    a.call("heartbeat", 4, heartbeat(group, first).setGroupInstanceId("one"));
    s.call("described", 5, described(group));

    Session.Peer again = s.peer("a");
    JoinGroupResponseData second = again.call("the same instance joins again", 9, request);
    again.call("heartbeat of the new one", 4, heartbeat(group, second).setGroupInstanceId("one"));
    a.call("the old one is fenced", 4, heartbeat(group, first).setGroupInstanceId("one"));
    a.call("the old id without instance", 4, heartbeat(group, first));
    a.call("the old one's sync", 5, sync(group, first, Map.of()).setGroupInstanceId("one"));
    a.call("the old one's join", 9, join(group, first.memberId(), "t").setGroupInstanceId("one"));
    again.call("sync of the new one", 5, sync(group, second, Map.of()).setGroupInstanceId("one"));
    s.call("described then", 5, described(group));

    Session.Peer third = s.peer("a");
    Session.Pending changed =
        third.send(
            "the same instance with another subscription",
            9,
            join(group, "", "t", "u").setGroupInstanceId("one"));
    JoinGroupResponseData last = changed.answer();
    third.call(
        "syncs again",
        5,
        sync(group, last, Map.of(last.memberId(), "y")).setGroupInstanceId("one"));
    s.call("removed with a wrong member id", 5, leaveInstance(group, "wrong", "one"));
    s.call("removed by its instance id", 5, leaveInstance(group, "", "one"));
    third.call("heartbeat after removal", 4, heartbeat(group, last).setGroupInstanceId("one"));
    s.call("described at last", 5, described(group));
  }

  private static LeaveGroupRequestData leaveInstance(String group, String member, String instance) {
    return new LeaveGroupRequestData()
        .setGroupId(group)
        .setMembers(List.of(new MemberIdentity().setMemberId(member).setGroupInstanceId(instance)));
  }

  /** Below version 9 a leader that comes back must not be told that it leads. */
  private static void staticMemberOfOldVersion(Session s) {
    String group = s.name("g");
    Session.Peer a = s.peer("a");
    JoinGroupRequestData request = join(group, "", "t").setGroupInstanceId("one");
    JoinGroupResponseData first = a.call("joins", 5, request);
    a.call("syncs", 3, sync(group, first, Map.of(first.memberId(), "x")).setGroupInstanceId("one"));
    JoinGroupResponseData second = s.peer("a").call("joins again", 5, request);
    s.call("syncs again", 3, sync(group, second, Map.of()).setGroupInstanceId("one"));
    s.call("removed", 3, leaveInstance(group, "", "one"));
  }
}
