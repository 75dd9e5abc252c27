package io.weirmq.server.internal.group.classic;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.group.message.SyncGroupCommand;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the leader's assignment out to the members. Confined to one thread (the coordinator's).
 *
 * <p>Nobody gets an assignment that is not stored: after a restart of the broker the group must be
 * found as its members know it.
 */
final class Syncs {

  private static final Logger LOG = LoggerFactory.getLogger(Syncs.class);

  private final GroupJournal journal;
  private final Sessions sessions;
  private final Rebalances rebalances;

  Syncs(GroupJournal journal, Sessions sessions, Rebalances rebalances) {
    this.journal = journal;
    this.sessions = sessions;
    this.rebalances = rebalances;
  }

  /** Answers a sync, or parks it until the assignment is stored. */
  void sync(
      ClassicGroup group, SyncGroupCommand command, CompletableFuture<SyncGroupResult> answer) {
    ErrorCode error = check(group, command);
    GroupMember member = group.member(command.member().memberId());
    if (error != ErrorCode.NONE || member == null) {
      answer.complete(
          SyncGroupResult.refused(error == ErrorCode.NONE ? ErrorCode.UNKNOWN_MEMBER_ID : error));
      return;
    }
    switch (group.state()) {
      case PREPARING_REBALANCE ->
          answer.complete(SyncGroupResult.refused(ErrorCode.REBALANCE_IN_PROGRESS));
      case COMPLETING_REBALANCE -> {
        noteArrival(group, member);
        group.parkSync(member, answer);
        if (group.isLeader(member) && !group.rebalance().isAssignmentOnItsWay()) {
          store(group, command.assignments());
        }
      }
      case STABLE -> {
        noteArrival(group, member);
        sessions.restart(group, member);
        answer.complete(assigned(group, member));
      }
      case EMPTY, DEAD -> answer.complete(SyncGroupResult.refused(ErrorCode.UNKNOWN_MEMBER_ID));
    }
  }

  private static ErrorCode check(ClassicGroup group, SyncGroupCommand command) {
    if (group.state() == GroupState.DEAD) {
      return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    }
    ErrorCode memberError = group.check(command.member());
    if (memberError != ErrorCode.NONE) {
      return memberError;
    }
    if (command.generation() != group.generation()) {
      return ErrorCode.ILLEGAL_GENERATION;
    }
    boolean isConsistent =
        agrees(command.protocolType(), group.protocolType())
            && agrees(command.protocolName(), group.protocol());
    return isConsistent ? ErrorCode.NONE : ErrorCode.INCONSISTENT_GROUP_PROTOCOL;
  }

  private static boolean agrees(@Nullable String asked, @Nullable String known) {
    return asked == null || known == null || asked.equals(known);
  }

  private static void noteArrival(ClassicGroup group, GroupMember member) {
    if (group.syncArrived(member.memberId())) {
      group.rebalance().endSyncs();
    }
  }

  private void store(ClassicGroup group, Map<String, OpaqueBytes> offered) {
    Map<String, OpaqueBytes> assignments = new HashMap<>();
    for (GroupMember member : group.members()) {
      OpaqueBytes own = offered.get(member.memberId());
      if (own == null) {
        LOG.warn("{}: the leader gave member {} nothing", group, member.memberId());
      }
      assignments.put(member.memberId(), own == null ? OpaqueBytes.EMPTY : own);
    }
    int generation = group.generation();
    group.rebalance().assignmentLeft();
    journal.store(
        group.toStored(assignments),
        error -> {
          // A rebalance that began meanwhile has answered the parked syncs.
          if (group.state() == GroupState.COMPLETING_REBALANCE
              && group.generation() == generation) {
            group.rebalance().assignmentArrived();
            stored(group, assignments, error);
          }
        });
  }

  private void stored(ClassicGroup group, Map<String, OpaqueBytes> assignments, ErrorCode error) {
    if (error != ErrorCode.NONE) {
      rebalances.failSyncs(group, error);
      rebalances.prepare(group, "the assignment could not be stored: " + error);
      return;
    }
    rebalances.becomeStable(group);
    for (GroupMember member : List.copyOf(group.members())) {
      member.assign(assignments.getOrDefault(member.memberId(), OpaqueBytes.EMPTY));
      if (member.isSyncing()) {
        sessions.restart(group, member);
        group.answerSync(member, assigned(group, member));
      }
    }
  }

  private static SyncGroupResult assigned(ClassicGroup group, GroupMember member) {
    return new SyncGroupResult(
        ErrorCode.NONE, group.protocolType(), group.protocol(), member.assignment());
  }
}
