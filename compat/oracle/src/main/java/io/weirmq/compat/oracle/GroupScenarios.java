package io.weirmq.compat.oracle;

import static io.weirmq.compat.oracle.Groups.heartbeat;
import static io.weirmq.compat.oracle.Groups.join;
import static io.weirmq.compat.oracle.Groups.joined;
import static io.weirmq.compat.oracle.Groups.leave;
import static io.weirmq.compat.oracle.Groups.sync;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;

/** FindCoordinator, and the life of a group with one member. */
final class GroupScenarios {
  private GroupScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("find-coordinator", GroupScenarios::findCoordinator),
        new Scenario("group-of-one", GroupScenarios::one),
        new Scenario("join-refused", GroupScenarios::joinRefused),
        new Scenario("sync-refused", GroupScenarios::syncRefused),
        new Scenario("heartbeat-refused", GroupScenarios::heartbeatRefused),
        new Scenario("leave-refused", GroupScenarios::leaveRefused));
  }

  private static void findCoordinator(Session s) {
    String group = s.name("g");
    for (int version : s.versions(ApiMessageType.FIND_COORDINATOR)) {
      if (version < 4) {
        s.call("group", version, new FindCoordinatorRequestData().setKey(group));
        s.call("empty group", version, new FindCoordinatorRequestData().setKey(""));
        if (version >= 1) {
          s.call(
              "unknown kind",
              version,
              new FindCoordinatorRequestData().setKey(group).setKeyType((byte) 9));
        }
      } else {
        s.call("group", version, keys(0, group));
        s.call("two groups", version, keys(0, group, s.name("h")));
        s.call("no groups", version, keys(0));
        s.call("empty group", version, keys(0, ""));
        s.call("unknown kind", version, keys(9, group));
      }
    }
  }

  private static FindCoordinatorRequestData keys(int kind, String... keys) {
    return new FindCoordinatorRequestData()
        .setKeyType((byte) kind)
        .setCoordinatorKeys(List.of(keys));
  }

  /** Join, sync, heartbeat, join again, leave, at every version of JoinGroup. */
  private static void one(Session s) {
    for (int version : s.versions(ApiMessageType.JOIN_GROUP)) {
      String group = s.name("v" + version);
      Session.Peer peer = s.peer("member-v" + version);
      int syncVersion = Math.min(version, 5);
      int beatVersion = Math.min(version, 4);
      int leaveVersion = Math.min(version, 5);
      JoinGroupResponseData first = joined(peer, "join", version, join(group, "", "topic-a"));
      peer.call("heartbeat before sync", beatVersion, heartbeat(group, first));
      peer.call(
          "sync", syncVersion, sync(group, first, Map.of(first.memberId(), "assignment one")));
      peer.call("sync again", syncVersion, sync(group, first, Map.of()));
      peer.call("heartbeat", beatVersion, heartbeat(group, first));
      JoinGroupResponseData again =
          joined(peer, "join again", version, join(group, first.memberId(), "topic-a"));
      peer.call("old generation's heartbeat", beatVersion, heartbeat(group, first));
      peer.call("sync then", syncVersion, sync(group, again, Map.of(again.memberId(), "two")));
      peer.call("heartbeat then", beatVersion, heartbeat(group, again));
      peer.call("leave", leaveVersion, leave(leaveVersion, group, again.memberId()));
      peer.call("heartbeat after leaving", beatVersion, heartbeat(group, again));
      peer.call("leave again", leaveVersion, leave(leaveVersion, group, again.memberId()));
      JoinGroupResponseData last = joined(peer, "new join", version, join(group, "", "topic-b"));
      peer.call("sync of the new one", syncVersion, sync(group, last, Map.of(last.memberId(), "")));
      peer.call("leave at last", leaveVersion, leave(leaveVersion, group, last.memberId()));
    }
  }

  private static void joinRefused(Session s) {
    for (int version : s.versions(ApiMessageType.JOIN_GROUP)) {
      String group = s.name("v" + version);
      s.call("empty group", version, join("", "", "t"));
      s.call("unknown member", version, join(group, "nobody", "t"));
      s.call("session timeout 1 ms", version, join(group, "", "t").setSessionTimeoutMs(1));
      s.call("session timeout 1 h", version, join(group, "", "t").setSessionTimeoutMs(3_600_000));
      s.call("session timeout -1", version, join(group, "", "t").setSessionTimeoutMs(-1));
      s.call("empty protocol type", version, join(group, "", "t").setProtocolType(""));
      JoinGroupRequestData none = join(group, "", "t");
      none.setProtocols(new JoinGroupRequestData.JoinGroupRequestProtocolCollection());
      s.call("no protocols", version, none);

      Session.Peer peer = s.peer("first");
      JoinGroupResponseData first = joined(peer, "first member", version, join(group, "", "t"));
      int syncVersion = Math.min(version, 5);
      peer.call("sync", syncVersion, sync(group, first, Map.of(first.memberId(), "all")));
      s.call("another protocol type", version, join(group, "", "t").setProtocolType("connect"));
      JoinGroupRequestData other = join(group, "", "t");
      other.setProtocols(new JoinGroupRequestData.JoinGroupRequestProtocolCollection());
      other.protocols().add(Groups.protocol("sticky", "t"));
      s.call("no common protocol", version, other);
      s.call("unknown member of a living group", version, join(group, "nobody", "t"));
      int leaveVersion = Math.min(version, 5);
      peer.call("leave", leaveVersion, leave(leaveVersion, group, first.memberId()));
    }
  }

  private static void syncRefused(Session s) {
    for (int version : s.versions(ApiMessageType.SYNC_GROUP)) {
      String group = s.name("v" + version);
      Session.Peer peer = s.peer("member");
      JoinGroupResponseData nobody =
          new JoinGroupResponseData().setMemberId("nobody").setGenerationId(1);
      s.call("unknown group", version, sync(s.name("none"), nobody, Map.of()));
      s.call("empty group", version, sync("", nobody, Map.of()));
      JoinGroupResponseData first = joined(peer, "join", 5, join(group, "", "t"));
      s.call("unknown member", version, sync(group, nobody, Map.of()));
      s.call(
          "wrong generation",
          version,
          sync(group, first, Map.of()).setGenerationId(first.generationId() + 5));
      if (version >= 5) {
        SyncGroupRequestData wrong = sync(group, first, Map.of());
        s.call("another protocol type", version, wrong.setProtocolType("connect"));
        s.call(
            "another protocol",
            version,
            sync(group, first, Map.of()).setProtocolType("consumer").setProtocolName("sticky"));
        s.call(
            "the right ones",
            version,
            sync(group, first, Map.of(first.memberId(), "x"))
                .setProtocolType("consumer")
                .setProtocolName("range"));
      }
      s.call(
          "assignment for a stranger",
          version,
          sync(group, first, Map.of(first.memberId(), "x", "stranger", "y")));
      peer.call("leave", 3, leave(3, group, first.memberId()));
    }
  }

  private static void heartbeatRefused(Session s) {
    for (int version : s.versions(ApiMessageType.HEARTBEAT)) {
      String group = s.name("v" + version);
      Session.Peer peer = s.peer("member");
      JoinGroupResponseData nobody =
          new JoinGroupResponseData().setMemberId("nobody").setGenerationId(1);
      s.call("unknown group", version, heartbeat(s.name("none"), nobody));
      s.call("empty group", version, heartbeat("", nobody));
      JoinGroupResponseData first = joined(peer, "join", 5, join(group, "", "t"));
      peer.call("sync", 3, sync(group, first, Map.of(first.memberId(), "x")));
      s.call("unknown member", version, heartbeat(group, nobody));
      s.call("wrong generation", version, heartbeat(group, first).setGenerationId(77));
      s.call("generation -1", version, heartbeat(group, first).setGenerationId(-1));
      if (version >= 3) {
        s.call(
            "with an instance id it has not",
            version,
            heartbeat(group, first).setGroupInstanceId("instance"));
      }
      peer.call("leave", 3, leave(3, group, first.memberId()));
    }
  }

  private static void leaveRefused(Session s) {
    for (int version : s.versions(ApiMessageType.LEAVE_GROUP)) {
      String group = s.name("v" + version);
      Session.Peer peer = s.peer("member");
      s.call("unknown group", version, leave(version, s.name("none"), "nobody"));
      s.call("empty group", version, leave(version, "", "nobody"));
      JoinGroupResponseData first = joined(peer, "join", 5, join(group, "", "t"));
      s.call("unknown member", version, leave(version, group, "nobody"));
      if (version >= 3) {
        s.call("nobody leaves", version, leave(version, group, "x").setMembers(List.of()));
        s.call(
            "unknown instance",
            version,
            leave(version, group, "x")
                .setMembers(
                    List.of(
                        new org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity()
                            .setMemberId("")
                            .setGroupInstanceId("nobody"))));
      }
      peer.call("leave during a rebalance", version, leave(version, group, first.memberId()));
    }
  }
}
