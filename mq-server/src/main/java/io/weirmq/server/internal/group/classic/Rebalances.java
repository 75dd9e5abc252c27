package io.weirmq.server.internal.group.classic;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a group from one generation to the next. Confined to one thread (the coordinator's).
 *
 * <p>A rebalance waits until each member has joined again, but no longer than the longest rebalance
 * timeout. A group that was empty waits a little for more members first, and longer as long as they
 * come: otherwise each of the first members would cause a rebalance of its own.
 */
final class Rebalances {

  private static final Logger LOG = LoggerFactory.getLogger(Rebalances.class);

  private final ClassicConfig config;
  private final GroupClocks clocks;
  private final GroupJournal journal;
  private final Sessions sessions;

  Rebalances(ClassicConfig config, GroupClocks clocks, GroupJournal journal, Sessions sessions) {
    this.config = config;
    this.clocks = clocks;
    this.journal = journal;
    this.sessions = sessions;
  }

  /** Begins a rebalance, or goes on with the one that has begun. */
  void prepareOrComplete(ClassicGroup group, String reason) {
    if (group.state().canBecome(GroupState.PREPARING_REBALANCE)) {
      prepare(group, reason);
    } else {
      completeIfAllJoined(group);
    }
  }

  /** Begins a rebalance. */
  void prepare(ClassicGroup group, String reason) {
    LOG.info("Rebalance of {}: {}", group, reason);
    if (group.state() == GroupState.COMPLETING_REBALANCE) {
      failSyncs(group, ErrorCode.REBALANCE_IN_PROGRESS);
    }
    group.rebalance().endSyncs();
    boolean wasEmpty = group.state() == GroupState.EMPTY;
    group.become(GroupState.PREPARING_REBALANCE, clocks.nowMs());
    if (!wasEmpty) {
      awaitJoins(group);
      completeIfAllJoined(group);
    } else if (config.initialRebalanceDelayMs() == 0) {
      complete(group);
    } else {
      collect(group, group.rebalanceTimeoutMs());
    }
  }

  private void collect(ClassicGroup group, int remainingMs) {
    int delayMs = Math.min(config.initialRebalanceDelayMs(), remainingMs);
    group
        .rebalance()
        .collect(
            clocks.scheduler().schedule(delayMs, () -> collected(group, remainingMs - delayMs)));
  }

  private void collected(ClassicGroup group, int remainingMs) {
    if (group.state() != GroupState.PREPARING_REBALANCE || !group.rebalance().isCollecting()) {
      return;
    }
    if (group.rebalance().hasMemberCome() && remainingMs > 0) {
      collect(group, remainingMs);
    } else {
      complete(group);
    }
  }

  private void awaitJoins(ClassicGroup group) {
    group
        .rebalance()
        .awaitJoins(
            clocks.scheduler().schedule(group.rebalanceTimeoutMs(), () -> joinsTimedOut(group)));
  }

  private void joinsTimedOut(ClassicGroup group) {
    if (group.state() == GroupState.PREPARING_REBALANCE && !group.rebalance().isCollecting()) {
      complete(group);
    }
  }

  /** Ends the wait for members where none is missing. */
  void completeIfAllJoined(ClassicGroup group) {
    if (group.state() == GroupState.PREPARING_REBALANCE
        && !group.rebalance().isCollecting()
        && group.haveAllJoined()) {
      complete(group);
    }
  }

  private void complete(ClassicGroup group) {
    group.rebalance().endJoins();
    dropAbsentees(group);
    if (group.size() == 0) {
      becomeEmpty(group);
    } else if (group.electJoinedLeader()) {
      beginGeneration(group);
    } else {
      // Only static members are left, and none is here: somebody must lead, so wait on.
      LOG.info("Rebalance of {} goes on: no member has joined", group);
      awaitJoins(group);
    }
  }

  private void dropAbsentees(ClassicGroup group) {
    for (GroupMember member : List.copyOf(group.members())) {
      if (!member.isJoining() && !member.isStatic()) {
        LOG.info("Member {} of {} has not joined in time and is removed", member.memberId(), group);
        sessions.cancel(member);
        group.answerSync(member, SyncGroupResult.refused(ErrorCode.UNKNOWN_MEMBER_ID));
        group.remove(member);
      }
    }
  }

  private void becomeEmpty(ClassicGroup group) {
    group.beginGeneration(clocks.nowMs());
    LOG.info("Last member has left {}", group);
    journal.store(
        group.toStored(),
        error -> {
          if (error != ErrorCode.NONE) {
            LOG.warn("{} is empty, but that could not be stored: {}", group, error);
          }
        });
  }

  private void beginGeneration(ClassicGroup group) {
    group.beginGeneration(clocks.nowMs());
    LOG.info("{} has begun, protocol {}, leader {}", group, group.protocol(), group.leader());
    int generation = group.generation();
    group
        .rebalance()
        .awaitSyncs(
            clocks
                .scheduler()
                .schedule(group.rebalanceTimeoutMs(), () -> syncsTimedOut(group, generation)));
    for (GroupMember member : List.copyOf(group.members())) {
      member.isNew = false;
      sessions.restart(group, member);
      group.answerJoin(member, joined(group, member));
    }
  }

  /** The answer to a member of the present generation: the leader is told of all members. */
  static JoinGroupResult joined(ClassicGroup group, GroupMember member) {
    String leader = group.leader() == null ? "" : group.leader();
    return new JoinGroupResult(
        ErrorCode.NONE,
        member.memberId(),
        group.generation(),
        group.protocolType(),
        group.protocol(),
        leader,
        false,
        group.isLeader(member) ? group.joinedMembers() : List.of());
  }

  private void syncsTimedOut(ClassicGroup group, int generation) {
    boolean isOver =
        group.generation() != generation
            || (group.state() != GroupState.COMPLETING_REBALANCE
                && group.state() != GroupState.STABLE);
    if (isOver) {
      return;
    }
    group.rebalance().endSyncs();
    List<GroupMember> missing = group.membersWithoutSync();
    if (missing.isEmpty()) {
      return;
    }
    List<String> names = new ArrayList<>(missing.size());
    for (GroupMember member : missing) {
      names.add(member.memberId());
      sessions.cancel(member);
      group.answerJoin(
          member, JoinGroupResult.refused(ErrorCode.UNKNOWN_MEMBER_ID, member.memberId()));
      group.remove(member);
    }
    prepare(group, "members have not asked for their assignment: " + names);
  }

  /** Ends a rebalance whose assignment is stored. */
  void becomeStable(ClassicGroup group) {
    group.become(GroupState.STABLE, clocks.nowMs());
  }

  /** Takes back all assignments, and answers parked syncs with an error. */
  void failSyncs(ClassicGroup group, ErrorCode error) {
    for (GroupMember member : List.copyOf(group.members())) {
      member.assign(OpaqueBytes.EMPTY);
      if (member.isSyncing()) {
        sessions.restart(group, member);
        group.answerSync(member, SyncGroupResult.refused(error));
      }
    }
  }
}
