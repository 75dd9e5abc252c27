package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.INITIAL_DELAY_MS;
import static io.weirmq.server.internal.group.GroupTestBed.subscription;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.HeartbeatRequest;
import io.weirmq.protocol.message.JoinGroupRequest;
import io.weirmq.protocol.message.JoinGroupResponse;
import io.weirmq.protocol.message.LeaveGroupRequest;
import io.weirmq.protocol.message.SyncGroupRequest;
import io.weirmq.protocol.message.SyncGroupResponse;
import io.weirmq.server.internal.handler.HeartbeatHandler;
import io.weirmq.server.internal.handler.JoinGroupHandler;
import io.weirmq.server.internal.handler.LeaveGroupHandler;
import io.weirmq.server.internal.handler.SyncGroupHandler;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The handlers of the members' APIs in every version; what they answer is read by Kafka's code. */
class MembershipHandlersTest {

  private static final short JOIN = 11;
  private static final short HEARTBEAT = 12;
  private static final short LEAVE = 13;
  private static final short SYNC = 14;

  private final HandlerBed bed = new HandlerBed();
  private final JoinGroupHandler joins = new JoinGroupHandler(bed.bed.coordinator);
  private final SyncGroupHandler syncs = new SyncGroupHandler(bed.bed.coordinator);
  private final HeartbeatHandler heartbeats = new HeartbeatHandler(bed.bed.coordinator);
  private final LeaveGroupHandler leaves = new LeaveGroupHandler(bed.bed.coordinator);

  private static JoinGroupRequest joinRequest(String memberId) {
    JoinGroupRequest request =
        new JoinGroupRequest()
            .setGroupId("g")
            .setMemberId(memberId)
            .setSessionTimeoutMs(10_000)
            .setRebalanceTimeoutMs(60_000)
            .setProtocolType("consumer");
    request
        .protocols()
        .add(
            new JoinGroupRequest.JoinGroupRequestProtocol()
                .setName("range")
                .setMetadata(subscription("orders").array()));
    return request;
  }

  private JoinGroupResponseData join(int version, CompletableFuture<JoinGroupResponse> answer) {
    return bed.read(JoinGroupResponseData.class, JOIN, version, answer);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void joinsInEveryVersion(int version) {
    CompletableFuture<JoinGroupResponse> first = bed.begin(joins, version, joinRequest(""));
    if (version >= 4) {
      JoinGroupResponseData refusal = join(version, first);
      assertThat(refusal.errorCode()).isEqualTo(ErrorCode.MEMBER_ID_REQUIRED.code());
      assertThat(refusal.generationId()).isEqualTo(-1);
      assertThat(refusal.protocolName()).isEqualTo(version >= 7 ? null : "");
      assertThat(refusal.memberId()).startsWith("client-");
      first = bed.begin(joins, version, joinRequest(refusal.memberId()));
    }
    bed.bed.pass(INITIAL_DELAY_MS);

    JoinGroupResponseData joined = join(version, first);
    assertThat(joined.errorCode()).isZero();
    assertThat(joined.generationId()).isEqualTo(1);
    assertThat(joined.protocolName()).isEqualTo("range");
    assertThat(joined.protocolType()).isEqualTo(version >= 7 ? "consumer" : null);
    assertThat(joined.leader()).isEqualTo(joined.memberId());
    assertThat(joined.members()).hasSize(1);
    assertThat(joined.members().get(0).metadata()).isEqualTo(subscription("orders").array());
    assertThat(bed.bed.describe().members().get(0).clientHost()).isEqualTo("/10.0.0.9");
    assertThat(bed.bed.describe().members().get(0).clientId()).isEqualTo("client");
  }

  @Test
  void versionZeroWaitsForMembersAsLongAsTheirSession() {
    JoinGroupResponseData first = joinAlone(0);
    bed.call(SyncGroupResponseData.class, SYNC, syncs, 0, syncRequest(first.memberId()));
    CompletableFuture<JoinGroupResponse> second = bed.begin(joins, 0, joinRequest(""));
    bed.bed.pass(9_999);
    assertThat(second).isNotDone();
    bed.bed.pass(1);
    assertThat(join(0, second).members()).hasSize(1);
  }

  private JoinGroupResponseData joinAlone(int version) {
    CompletableFuture<JoinGroupResponse> first = bed.begin(joins, version, joinRequest(""));
    bed.bed.pass(INITIAL_DELAY_MS);
    return join(version, first);
  }

  private static SyncGroupRequest syncRequest(String memberId) {
    SyncGroupRequest request =
        new SyncGroupRequest().setGroupId("g").setMemberId(memberId).setGenerationId(1);
    request
        .assignments()
        .add(
            new SyncGroupRequest.SyncGroupRequestAssignment()
                .setMemberId(memberId)
                .setAssignment("mine".getBytes(UTF_8)));
    return request;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void syncsInEveryVersion(int version) {
    SyncGroupRequest request = syncRequest(joinAlone(0).memberId());
    if (version >= 5) {
      assertThat(bed.call(SyncGroupResponseData.class, SYNC, syncs, version, request).errorCode())
          .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL.code());
      request.setProtocolType("consumer").setProtocolName("range");
    }
    CompletableFuture<SyncGroupResponse> answer = bed.begin(syncs, version, request);
    SyncGroupResponseData synced = bed.read(SyncGroupResponseData.class, SYNC, version, answer);
    assertThat(synced.errorCode()).isZero();
    assertThat(synced.assignment()).isEqualTo("mine".getBytes(UTF_8));
    assertThat(synced.protocolName()).isEqualTo(version >= 5 ? "range" : null);

    request.setMemberId("x");
    SyncGroupResponseData refused =
        bed.call(SyncGroupResponseData.class, SYNC, syncs, version, request);
    assertThat(refused.errorCode()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID.code());
    assertThat(refused.assignment()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void heartbeatsInEveryVersion(int version) {
    HeartbeatRequest request =
        new HeartbeatRequest()
            .setGroupId("g")
            .setMemberId(joinAlone(0).memberId())
            .setGenerationId(1);
    assertThat(
            bed.call(HeartbeatResponseData.class, HEARTBEAT, heartbeats, version, request)
                .errorCode())
        .isZero();
    request.setGenerationId(7);
    assertThat(
            bed.call(HeartbeatResponseData.class, HEARTBEAT, heartbeats, version, request)
                .errorCode())
        .isEqualTo(ErrorCode.ILLEGAL_GENERATION.code());
    request.setGroupId("");
    assertThat(
            bed.call(HeartbeatResponseData.class, HEARTBEAT, heartbeats, version, request)
                .errorCode())
        .isEqualTo(ErrorCode.INVALID_GROUP_ID.code());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void leavesInEveryVersion(int version) {
    String memberId = joinAlone(0).memberId();
    LeaveGroupResponseData unknown = leave(version, "x");
    LeaveGroupResponseData left = leave(version, memberId);
    LeaveGroupResponseData noGroup =
        bed.call(
            LeaveGroupResponseData.class,
            LEAVE,
            leaves,
            version,
            leaveRequest(version, "x").setGroupId("nobody"));

    short unknownMember = ErrorCode.UNKNOWN_MEMBER_ID.code();
    assertThat(left.errorCode()).isZero();
    if (version < 3) {
      assertThat(noGroup.errorCode()).isEqualTo(unknownMember);
      assertThat(unknown.errorCode()).isEqualTo(unknownMember);
    } else {
      assertThat(noGroup.errorCode()).isZero();
      assertThat(noGroup.members().get(0).errorCode()).isEqualTo(unknownMember);
      assertThat(unknown.errorCode()).isZero();
      assertThat(unknown.members().get(0).errorCode()).isEqualTo(unknownMember);
      assertThat(left.members().get(0).memberId()).isEqualTo(memberId);
      assertThat(left.members().get(0).errorCode()).isZero();
    }
    assertThat(bed.bed.state()).isEqualTo("Empty");
  }

  private LeaveGroupResponseData leave(int version, String memberId) {
    return bed.call(
        LeaveGroupResponseData.class, LEAVE, leaves, version, leaveRequest(version, memberId));
  }

  private static LeaveGroupRequest leaveRequest(int version, String memberId) {
    LeaveGroupRequest request = new LeaveGroupRequest().setGroupId("g");
    return version < 3
        ? request.setMemberId(memberId)
        : request.setMembers(List.of(new LeaveGroupRequest.MemberIdentity().setMemberId(memberId)));
  }
}
