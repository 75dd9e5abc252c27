package io.weirmq.server.internal.group.classic;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.JoinProtocol;
import io.weirmq.server.internal.schedule.Scheduler.Scheduled;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets members into a group. Confined to one thread (the coordinator's).
 *
 * <p>A member that is new gets an id. A dynamic one is sent away with it first, and counts as
 * pending until it comes back: were it let in at once and its answer lost, it would come again
 * under another id and leave a dead member behind. A static one takes the place that its name has.
 */
final class Joins {

  private static final Logger LOG = LoggerFactory.getLogger(Joins.class);

  private final ClassicConfig config;
  private final GroupClocks clocks;
  private final GroupJournal journal;
  private final Sessions sessions;
  private final Rebalances rebalances;
  private final StaticReplacement staticReplacement;
  private final Supplier<UUID> uuids;

  Joins(
      ClassicConfig config,
      GroupClocks clocks,
      GroupJournal journal,
      Sessions sessions,
      Rebalances rebalances,
      Supplier<UUID> uuids) {
    this.config = config;
    this.clocks = clocks;
    this.journal = journal;
    this.sessions = sessions;
    this.rebalances = rebalances;
    this.staticReplacement = new StaticReplacement(journal, sessions, rebalances);
    this.uuids = uuids;
  }

  /** What is wrong with a join whatever the group is, or {@link ErrorCode#NONE}. */
  ErrorCode checkRequest(JoinGroupCommand command) {
    if (command.sessionTimeoutMs() < config.sessionTimeoutMsMin()
        || command.sessionTimeoutMs() > config.sessionTimeoutMsMax()) {
      return ErrorCode.INVALID_SESSION_TIMEOUT;
    }
    return hasLongName(command) ? ErrorCode.INVALID_REQUEST : ErrorCode.NONE;
  }

  private static boolean hasLongName(JoinGroupCommand command) {
    String instanceId = command.member().instanceId();
    return isLong(command.groupId())
        || isLong(command.clientId())
        || isLong(command.protocolType())
        || (instanceId != null && isLong(instanceId))
        || command.protocols().stream().map(JoinProtocol::name).anyMatch(Joins::isLong);
  }

  private static boolean isLong(String name) {
    return name.length() > ClassicConfig.NAME_CHARS_MAX;
  }

  /** Lets a member in, parks it, or answers at once. */
  void join(
      ClassicGroup group, JoinGroupCommand command, CompletableFuture<JoinGroupResult> answer) {
    ErrorCode refusal = admit(group, command);
    if (refusal != ErrorCode.NONE) {
      refuse(answer, refusal, command);
    } else if (command.member().isUnnamed()) {
      joinUnnamed(group, command, answer);
    } else if (group.pending().remove(command.member().memberId())) {
      joinPending(group, command, answer);
    } else {
      joinAgain(group, command, answer);
    }
  }

  private static void refuse(
      CompletableFuture<JoinGroupResult> answer, ErrorCode error, JoinGroupCommand command) {
    answer.complete(JoinGroupResult.refused(error, command.member().memberId()));
  }

  private ErrorCode admit(ClassicGroup group, JoinGroupCommand command) {
    if (group.state() == GroupState.DEAD) {
      return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    }
    if (!hasRoom(group, command)) {
      group.pending().remove(command.member().memberId());
      return ErrorCode.GROUP_MAX_SIZE_REACHED;
    }
    return group.accepts(command.protocolType(), command.protocols())
        ? ErrorCode.NONE
        : ErrorCode.INCONSISTENT_GROUP_PROTOCOL;
  }

  private boolean hasRoom(ClassicGroup group, JoinGroupCommand command) {
    GroupMember known = group.member(command.member().memberId());
    return switch (group.state()) {
      case EMPTY, DEAD -> true;
      // Those who are here already keep their place: if the limit was lowered, the last ones go.
      case PREPARING_REBALANCE ->
          (known != null && known.isJoining())
              || replacesStatic(group, command)
              || group.parkedJoinCount() < config.membersMax();
      case COMPLETING_REBALANCE, STABLE ->
          known != null
              || group.pending().contains(command.member().memberId())
              || replacesStatic(group, command)
              || group.size() < config.membersMax();
    };
  }

  private static boolean replacesStatic(ClassicGroup group, JoinGroupCommand command) {
    String instanceId = command.member().instanceId();
    return instanceId != null && group.staticMember(instanceId) != null;
  }

  private void joinUnnamed(
      ClassicGroup group, JoinGroupCommand command, CompletableFuture<JoinGroupResult> answer) {
    String instanceId = command.member().instanceId();
    String memberId = (instanceId == null ? command.clientId() : instanceId) + "-" + uuids.get();
    GroupMember old = instanceId == null ? null : group.staticMember(instanceId);
    if (old != null) {
      staticReplacement.replace(group, old, memberId, command, answer);
    } else if (instanceId == null && command.memberIdRequired()) {
      makePending(group, memberId, command, answer);
    } else {
      add(group, memberId, command, answer);
    }
  }

  private void makePending(
      ClassicGroup group,
      String memberId,
      JoinGroupCommand command,
      CompletableFuture<JoinGroupResult> answer) {
    if (group.pending().size() >= ClassicConfig.PENDING_MEMBERS_MAX) {
      LOG.warn("{}: {} ids were given out and not used yet", group, group.pending().size());
      refuse(answer, ErrorCode.GROUP_MAX_SIZE_REACHED, command);
      return;
    }
    Scheduled timer =
        clocks
            .scheduler()
            .schedule(command.sessionTimeoutMs(), () -> pendingExpired(group, memberId));
    group.pending().add(memberId, timer);
    answer.complete(JoinGroupResult.refused(ErrorCode.MEMBER_ID_REQUIRED, memberId));
  }

  private void pendingExpired(ClassicGroup group, String memberId) {
    if (group.pending().remove(memberId)) {
      LOG.info("{}: the client of id {} has not come back", group, memberId);
      rebalances.completeIfAllJoined(group);
      journal.forgetIfUnused(group);
    }
  }

  private void joinPending(
      ClassicGroup group, JoinGroupCommand command, CompletableFuture<JoinGroupResult> answer) {
    if (command.member().instanceId() != null) {
      // Ids of static members are never given out in advance: this one is somebody else's.
      refuse(answer, ErrorCode.UNKNOWN_MEMBER_ID, command);
      rebalances.completeIfAllJoined(group);
      return;
    }
    add(group, command.member().memberId(), command, answer);
  }

  private void add(
      ClassicGroup group,
      String memberId,
      JoinGroupCommand command,
      CompletableFuture<JoinGroupResult> answer) {
    GroupMember member = GroupMember.joining(memberId, command);
    if (group.size() == 0) {
      group.become(command.protocolType());
    }
    group.add(member);
    group.parkJoin(member, answer);
    group.rebalance().memberCame();
    sessions.awaitFirstJoin(group, member);
    rebalances.prepareOrComplete(
        group, "member " + memberId + " joins" + ClientReason.shown(command.reason()));
  }

  private void joinAgain(
      ClassicGroup group, JoinGroupCommand command, CompletableFuture<JoinGroupResult> answer) {
    ErrorCode error = group.check(command.member());
    GroupMember member = group.member(command.member().memberId());
    if (error != ErrorCode.NONE || member == null) {
      refuse(answer, error == ErrorCode.NONE ? ErrorCode.UNKNOWN_MEMBER_ID : error, command);
      return;
    }
    boolean isUnchanged = member.protocols().equals(command.protocols());
    switch (group.state()) {
      case PREPARING_REBALANCE -> rejoin(group, member, command, answer);
      case COMPLETING_REBALANCE -> {
        if (isUnchanged) {
          // The answer to its join was lost: it is told again.
          tellAgain(group, member, answer);
        } else {
          rejoin(group, member, command, answer);
        }
      }
      case STABLE -> {
        if (isUnchanged && !group.isLeader(member)) {
          tellAgain(group, member, answer);
        } else {
          rejoin(group, member, command, answer);
        }
      }
      case EMPTY, DEAD -> refuse(answer, ErrorCode.UNKNOWN_MEMBER_ID, command);
    }
  }

  private void tellAgain(
      ClassicGroup group, GroupMember member, CompletableFuture<JoinGroupResult> answer) {
    sessions.restart(group, member);
    answer.complete(Rebalances.joined(group, member));
  }

  private void rejoin(
      ClassicGroup group,
      GroupMember member,
      JoinGroupCommand command,
      CompletableFuture<JoinGroupResult> answer) {
    group.update(member, command);
    group.parkJoin(member, answer);
    rebalances.prepareOrComplete(
        group,
        "member " + member.memberId() + " joins again" + ClientReason.shown(command.reason()));
  }
}
