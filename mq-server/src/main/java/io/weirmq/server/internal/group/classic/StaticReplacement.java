package io.weirmq.server.internal.group.classic;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a static member that has started again its old place under a new id. Confined to one thread
 * (the coordinator's).
 *
 * <p>In a stable group this needs no rebalance as long as the chosen protocol stays: the new id
 * inherits the assignment, and is stored before it is told. Whoever still uses the old id is
 * fenced.
 */
final class StaticReplacement {

  private static final Logger LOG = LoggerFactory.getLogger(StaticReplacement.class);

  private final GroupJournal journal;
  private final Sessions sessions;
  private final Rebalances rebalances;

  StaticReplacement(GroupJournal journal, Sessions sessions, Rebalances rebalances) {
    this.journal = journal;
    this.sessions = sessions;
    this.rebalances = rebalances;
  }

  /** Replaces a member, and answers now or at the end of a rebalance. */
  void replace(
      ClassicGroup group,
      GroupMember old,
      String memberId,
      JoinGroupCommand command,
      CompletableFuture<JoinGroupResult> answer) {
    LOG.info(
        "{}: static member {} starts again, {} replaces {}",
        group,
        old.instanceId(),
        memberId,
        old.memberId());
    String leaderBefore = group.leader() == null ? "" : group.leader();
    fence(group, old);
    GroupMember replacement = old.renamed(memberId);
    group.replace(old, replacement);
    group.update(replacement, command);
    group.parkJoin(replacement, answer);
    sessions.restart(group, replacement);

    if (group.state() == GroupState.STABLE && keepsProtocol(group)) {
      store(group, old, replacement, leaderBefore, command.skipAssignmentUnderstood());
    } else {
      // While completing as well: the leader may have been told of the old id, and its assignment
      // would leave the new one with nothing.
      rebalances.prepareOrComplete(group, "static member " + old.instanceId() + " starts again");
    }
  }

  private void fence(ClassicGroup group, GroupMember old) {
    sessions.cancel(old);
    group.answerJoin(old, JoinGroupResult.refused(ErrorCode.FENCED_INSTANCE_ID, old.memberId()));
    group.answerSync(old, SyncGroupResult.refused(ErrorCode.FENCED_INSTANCE_ID));
  }

  private static boolean keepsProtocol(ClassicGroup group) {
    return group.chooseProtocol().equals(group.protocol());
  }

  private void store(
      ClassicGroup group,
      GroupMember old,
      GroupMember replacement,
      String leaderBefore,
      boolean skipAssignmentUnderstood) {
    int generation = group.generation();
    journal.store(
        group.toStored(),
        error -> {
          boolean isStillInPlace =
              group.state() == GroupState.STABLE
                  && group.generation() == generation
                  && group.member(replacement.memberId()) == replacement;
          if (!isStillInPlace) {
            // A rebalance has begun, and answers the parked join at its end.
            return;
          }
          if (error != ErrorCode.NONE) {
            revert(group, old, replacement, error);
          } else {
            sessions.restart(group, replacement);
            group.answerJoin(
                replacement, kept(group, replacement, leaderBefore, skipAssignmentUnderstood));
          }
        });
  }

  private void revert(
      ClassicGroup group, GroupMember old, GroupMember replacement, ErrorCode error) {
    LOG.warn(
        "{}: {} can't replace {}, as that could not be stored: {}",
        group,
        replacement.memberId(),
        old.memberId(),
        error);
    sessions.cancel(replacement);
    JoinGroupResult refusal = JoinGroupResult.refused(error, replacement.memberId());
    group.answerJoin(replacement, refusal);
    group.replace(replacement, old);
    sessions.restart(group, old);
  }

  /**
   * The answer without a rebalance. A leader is told so, with the order to leave the assignment
   * alone, only if its client understands that order; else it must not know that it leads, as it
   * would assign anew for a generation that has its assignment.
   */
  private static JoinGroupResult kept(
      ClassicGroup group, GroupMember member, String leaderBefore, boolean understandsSkip) {
    boolean leads = understandsSkip && group.isLeader(member);
    String leaderNow = group.leader() == null ? "" : group.leader();
    return new JoinGroupResult(
        ErrorCode.NONE,
        member.memberId(),
        group.generation(),
        group.protocolType(),
        group.protocol(),
        understandsSkip ? leaderNow : leaderBefore,
        leads,
        leads ? group.joinedMembers() : List.of());
  }
}
