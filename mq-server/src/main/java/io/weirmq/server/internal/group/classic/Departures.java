package io.weirmq.server.internal.group.classic;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.LeaveGroupResult;
import io.weirmq.server.internal.group.message.LeaveGroupResult.Leaving;
import io.weirmq.server.internal.group.message.LeavingMember;
import io.weirmq.server.internal.group.message.MemberIdentity;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets members go: those that say so, those that an administrator removes, those that are silent.
 * Confined to one thread (the coordinator's).
 */
final class Departures {

  private static final Logger LOG = LoggerFactory.getLogger(Departures.class);

  private final Sessions sessions;
  private final Rebalances rebalances;
  private final GroupJournal journal;

  Departures(Sessions sessions, Rebalances rebalances, GroupJournal journal) {
    this.sessions = sessions;
    this.rebalances = rebalances;
    this.journal = journal;
  }

  /** Lets several members go, in one rebalance. */
  LeaveGroupResult leave(ClassicGroup group, List<LeavingMember> leaving) {
    List<Leaving> outcomes = new ArrayList<>(leaving.size());
    List<String> gone = new ArrayList<>();
    for (LeavingMember member : leaving) {
      MemberIdentity identity = member.member();
      ErrorCode error = leave(group, identity);
      outcomes.add(new Leaving(identity, error));
      if (error == ErrorCode.NONE) {
        String name =
            identity.isUnnamed() ? String.valueOf(identity.instanceId()) : identity.memberId();
        gone.add(name + ClientReason.shown(member.reason()));
      }
    }
    if (!gone.isEmpty()) {
      goOn(group, "members leave: " + gone);
      journal.forgetIfUnused(group);
    }
    return new LeaveGroupResult(ErrorCode.NONE, outcomes);
  }

  private ErrorCode leave(ClassicGroup group, MemberIdentity identity) {
    String instanceId = identity.instanceId();
    if (identity.isUnnamed()) {
      // An administrator knows static members by their name only.
      GroupMember named = instanceId == null ? null : group.staticMember(instanceId);
      if (named == null) {
        return ErrorCode.UNKNOWN_MEMBER_ID;
      }
      take(group, named);
      return ErrorCode.NONE;
    }
    if (group.pending().remove(identity.memberId())) {
      return ErrorCode.NONE;
    }
    ErrorCode error = group.check(identity);
    GroupMember member = group.member(identity.memberId());
    if (error == ErrorCode.NONE && member != null) {
      take(group, member);
    }
    return error;
  }

  /** Removes a member that has been silent for too long. */
  void expire(ClassicGroup group, GroupMember member) {
    LOG.info(
        "Member {} of {} was silent for {} ms and is removed",
        member.memberId(),
        group,
        member.isNew ? ClassicConfig.FIRST_JOIN_TIMEOUT_MS : member.sessionTimeoutMs());
    take(group, member);
    goOn(group, "member " + member.memberId() + " was silent");
  }

  private void take(ClassicGroup group, GroupMember member) {
    sessions.cancel(member);
    group.answerJoin(
        member, JoinGroupResult.refused(ErrorCode.UNKNOWN_MEMBER_ID, member.memberId()));
    group.answerSync(member, SyncGroupResult.refused(ErrorCode.UNKNOWN_MEMBER_ID));
    group.remove(member);
  }

  private void goOn(ClassicGroup group, String reason) {
    switch (group.state()) {
      case STABLE, COMPLETING_REBALANCE -> rebalances.prepare(group, reason);
      case PREPARING_REBALANCE -> rebalances.completeIfAllJoined(group);
      case EMPTY, DEAD -> {}
    }
  }
}
