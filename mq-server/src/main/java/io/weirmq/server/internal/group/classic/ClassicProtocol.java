package io.weirmq.server.internal.group.classic;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.HeartbeatCommand;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.LeaveGroupResult;
import io.weirmq.server.internal.group.message.LeavingMember;
import io.weirmq.server.internal.group.message.MemberIdentity;
import io.weirmq.server.internal.group.message.SyncGroupCommand;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The classic group protocol: what members may ask, and what follows from it. Confined to one
 * thread (the coordinator's).
 *
 * <p>Keeps no state of its own: that is in {@link ClassicGroup}. Joins and syncs are answered
 * through a future, now or when the others are there; each is answered exactly once.
 */
public final class ClassicProtocol {

  private final ClassicConfig config;
  private final GroupClocks clocks;
  private final Sessions sessions;
  private final Rebalances rebalances;
  private final Joins joins;
  private final Syncs syncs;
  private final Departures departures;

  /**
   * Assembles the protocol.
   *
   * @param config its settings
   * @param clocks its time
   * @param journal where groups are stored
   * @param uuids makes the unique part of member ids
   */
  public ClassicProtocol(
      ClassicConfig config, GroupClocks clocks, GroupJournal journal, Supplier<UUID> uuids) {
    this.config = config;
    this.clocks = clocks;
    this.sessions = new Sessions(clocks, this::expire);
    this.rebalances = new Rebalances(config, clocks, journal, sessions);
    this.joins = new Joins(config, clocks, journal, sessions, rebalances, uuids);
    this.syncs = new Syncs(journal, sessions, rebalances);
    this.departures = new Departures(sessions, rebalances, journal);
  }

  private void expire(ClassicGroup group, GroupMember member) {
    departures.expire(group, member);
  }

  /** What is wrong with a join whatever the group is, or {@link ErrorCode#NONE}. */
  public ErrorCode checkRequest(JoinGroupCommand command) {
    return joins.checkRequest(command);
  }

  /** Lets a member into a group. */
  public void join(
      ClassicGroup group, JoinGroupCommand command, CompletableFuture<JoinGroupResult> answer) {
    joins.join(group, command, answer);
  }

  /** Gives a member its assignment. */
  public void sync(
      ClassicGroup group, SyncGroupCommand command, CompletableFuture<SyncGroupResult> answer) {
    syncs.sync(group, command, answer);
  }

  /** Takes note that a member lives, and tells it what to do. */
  public ErrorCode heartbeat(ClassicGroup group, HeartbeatCommand command) {
    if (group.state() == GroupState.DEAD) {
      return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    }
    ErrorCode error = checkMember(group, command.member(), command.generation());
    GroupMember member = group.member(command.member().memberId());
    if (error != ErrorCode.NONE || member == null) {
      return error;
    }
    sessions.restart(group, member);
    return group.state() == GroupState.PREPARING_REBALANCE
        ? ErrorCode.REBALANCE_IN_PROGRESS
        : ErrorCode.NONE;
  }

  private static ErrorCode checkMember(
      ClassicGroup group, MemberIdentity identity, int generation) {
    ErrorCode error = group.check(identity);
    if (error != ErrorCode.NONE) {
      return error;
    }
    return generation == group.generation() ? ErrorCode.NONE : ErrorCode.ILLEGAL_GENERATION;
  }

  /** Lets members go. */
  public LeaveGroupResult leave(ClassicGroup group, List<LeavingMember> leaving) {
    return group.state() == GroupState.DEAD
        ? LeaveGroupResult.refused(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        : departures.leave(group, leaving);
  }

  /**
   * Checks whether somebody may commit offsets; a member's commit is also a sign of life.
   *
   * @param member who commits; unnamed for a consumer without membership, or an admin tool
   * @param generation generation of the member, negative without membership
   */
  public ErrorCode checkCommit(ClassicGroup group, MemberIdentity member, int generation) {
    if (group.state() == GroupState.DEAD) {
      return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    }
    boolean claimsMembership =
        generation >= 0 || !member.isUnnamed() || member.instanceId() != null;
    if (group.state() == GroupState.EMPTY && generation < 0) {
      return ErrorCode.NONE;
    }
    if (!claimsMembership) {
      // The members own the offsets of a group that has some.
      return ErrorCode.UNKNOWN_MEMBER_ID;
    }
    ErrorCode error = checkMember(group, member, generation);
    GroupMember known = group.member(member.memberId());
    if (error != ErrorCode.NONE || known == null) {
      return error;
    }
    if (group.state() == GroupState.COMPLETING_REBALANCE) {
      return ErrorCode.REBALANCE_IN_PROGRESS;
    }
    sessions.restart(group, known);
    return ErrorCode.NONE;
  }

  /** Takes up the watch over a group that was restored from the log. */
  public void resume(ClassicGroup group) {
    for (GroupMember member : group.members()) {
      sessions.restart(group, member);
    }
    if (group.size() > config.membersMax()) {
      rebalances.prepare(group, "it has more members than the limit of " + config.membersMax());
    }
  }

  /**
   * Ends a group: it was deleted, or another broker coordinates it now.
   *
   * @param error what parked joins and syncs are answered with
   */
  public void end(ClassicGroup group, ErrorCode error) {
    group.rebalance().cancelTimers();
    group.pending().clear();
    group.become(GroupState.DEAD, clocks.nowMs());
    for (GroupMember member : List.copyOf(group.members())) {
      sessions.cancel(member);
      group.answerJoin(member, JoinGroupResult.refused(error, member.memberId()));
      group.answerSync(member, SyncGroupResult.refused(error));
      group.remove(member);
    }
  }
}
