package io.weirmq.compat.oracle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;

/** Requests of the classic group protocol, and the steps that most conversations begin with. */
final class Groups {
  static final int SESSION_MS = 10_000;
  static final short MEMBER_ID_REQUIRED = 79;

  private Groups() {}

  /** A member that subscribes to topics with the assignor "range". */
  static JoinGroupRequestData join(String group, String member, String... topics) {
    JoinGroupRequestData request =
        new JoinGroupRequestData()
            .setGroupId(group)
            .setMemberId(member)
            .setSessionTimeoutMs(SESSION_MS)
            .setRebalanceTimeoutMs(SESSION_MS)
            .setProtocolType("consumer");
    request.protocols().add(protocol("range", topics));
    return request;
  }

  static JoinGroupRequestProtocol protocol(String name, String... topics) {
    ConsumerProtocolSubscription subscription =
        new ConsumerProtocolSubscription().setTopics(List.of(topics));
    ByteBuffer body = MessageCodec.encode(subscription, (short) 1);
    byte[] metadata = new byte[2 + body.remaining()];
    ByteBuffer.wrap(metadata).putShort((short) 1).put(body);
    return new JoinGroupRequestProtocol().setName(name).setMetadata(metadata);
  }

  /** Joins; when the broker wants the member to come back with its new id, it does. */
  static JoinGroupResponseData joined(
      Session.Peer peer, String label, int version, JoinGroupRequestData request) {
    JoinGroupResponseData answer = peer.call(label, version, request);
    if (answer.errorCode() == MEMBER_ID_REQUIRED) {
      return peer.call(label + ", with its id", version, request.setMemberId(answer.memberId()));
    }
    return answer;
  }

  static SyncGroupRequestData sync(
      String group, JoinGroupResponseData joined, Map<String, String> assignments) {
    SyncGroupRequestData request =
        new SyncGroupRequestData()
            .setGroupId(group)
            .setMemberId(joined.memberId())
            .setGenerationId(joined.generationId());
    assignments.forEach(
        (member, text) ->
            request
                .assignments()
                .add(
                    new SyncGroupRequestAssignment()
                        .setMemberId(member)
                        .setAssignment(text.getBytes(StandardCharsets.UTF_8))));
    return request;
  }

  static HeartbeatRequestData heartbeat(String group, JoinGroupResponseData joined) {
    return new HeartbeatRequestData()
        .setGroupId(group)
        .setMemberId(joined.memberId())
        .setGenerationId(joined.generationId());
  }

  /** One member leaves; versions from 3 on have a list. */
  static LeaveGroupRequestData leave(int version, String group, String member) {
    LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(group);
    return version >= 3
        ? request.setMembers(List.of(new MemberIdentity().setMemberId(member)))
        : request.setMemberId(member);
  }
}
