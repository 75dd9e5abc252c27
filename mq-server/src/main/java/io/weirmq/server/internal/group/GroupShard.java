package io.weirmq.server.internal.group;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.classic.ClassicGroup;
import io.weirmq.server.internal.group.classic.ClassicProtocol;
import io.weirmq.server.internal.group.classic.GroupClocks;
import io.weirmq.server.internal.group.classic.GroupJournal;
import io.weirmq.server.internal.group.classic.GroupMember;
import io.weirmq.server.internal.group.classic.GroupState;
import io.weirmq.server.internal.group.message.GroupDescription;
import io.weirmq.server.internal.group.message.GroupListing;
import io.weirmq.server.internal.group.message.HeartbeatCommand;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.LeaveGroupResult;
import io.weirmq.server.internal.group.message.LeavingMember;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.group.message.SyncGroupCommand;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import io.weirmq.server.internal.group.records.GroupMetadata;
import io.weirmq.server.internal.group.records.GroupRecord;
import io.weirmq.server.internal.group.records.GroupRecord.GroupRemoved;
import io.weirmq.server.internal.group.records.GroupRecord.GroupStored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The groups whose records are in one partition of {@code __consumer_offsets}. Confined to one
 * thread (the coordinator's).
 *
 * <p>Who is in a group is known in memory first and stored when the members are told; offsets are
 * known in memory only when they are stored, see {@link ShardOffsets}.
 */
final class GroupShard implements GroupJournal {

  /** The type of group that tools show for the protocol served here. */
  static final String CLASSIC_TYPE = "classic";

  private final GroupClocks clocks;
  private final ShardJournal journal;
  private final ShardOffsets offsets;
  private final ClassicProtocol protocol;
  private final Map<String, ClassicGroup> groups = new HashMap<>();

  GroupShard(GroupConfig config, GroupClocks clocks, ShardJournal journal, Supplier<UUID> uuids) {
    this.clocks = clocks;
    this.journal = journal;
    this.protocol = new ClassicProtocol(config.classic(), clocks, this, uuids);
    this.offsets = new ShardOffsets(config.offsets(), clocks, journal, protocol, groups);
  }

  /** The offsets of the groups. */
  ShardOffsets offsets() {
    return offsets;
  }

  /** Takes over what was read from the log. */
  void restore(LoadedShard loaded) {
    for (GroupMetadata stored : loaded.groups()) {
      groups.put(stored.groupId(), ClassicGroup.restored(stored));
    }
    offsets.restore(loaded);
    List.copyOf(groups.values()).forEach(protocol::resume);
  }

  /** Ends all groups here: parked requests are answered, nothing is stored any more. */
  void close(ErrorCode error) {
    journal.close();
    groups.values().forEach(group -> protocol.end(group, error));
    groups.clear();
  }

  // ---- membership --------------------------------------------------------------------------

  void join(JoinGroupCommand command, CompletableFuture<JoinGroupResult> answer) {
    ErrorCode refusal = protocol.checkRequest(command);
    ClassicGroup group = groups.get(command.groupId());
    if (refusal == ErrorCode.NONE && group == null && !command.member().isUnnamed()) {
      refusal = ErrorCode.UNKNOWN_MEMBER_ID;
    }
    if (refusal != ErrorCode.NONE) {
      answer.complete(JoinGroupResult.refused(refusal, command.member().memberId()));
      return;
    }
    ClassicGroup joined = group == null ? create(command.groupId()) : group;
    protocol.join(joined, command, answer);
    forgetIfUnused(joined);
  }

  private ClassicGroup create(String groupId) {
    ClassicGroup group = new ClassicGroup(groupId, clocks.nowMs());
    groups.put(groupId, group);
    return group;
  }

  void sync(SyncGroupCommand command, CompletableFuture<SyncGroupResult> answer) {
    ClassicGroup group = groups.get(command.groupId());
    if (group == null) {
      answer.complete(SyncGroupResult.refused(ErrorCode.UNKNOWN_MEMBER_ID));
    } else {
      protocol.sync(group, command, answer);
    }
  }

  ErrorCode heartbeat(HeartbeatCommand command) {
    ClassicGroup group = groups.get(command.groupId());
    return group == null ? ErrorCode.UNKNOWN_MEMBER_ID : protocol.heartbeat(group, command);
  }

  LeaveGroupResult leave(String groupId, List<LeavingMember> members) {
    ClassicGroup group = groups.get(groupId);
    return group == null
        ? LeaveGroupResult.ofEach(
            ErrorCode.UNKNOWN_MEMBER_ID, members.stream().map(LeavingMember::member).toList())
        : protocol.leave(group, members);
  }

  // ---- administration ----------------------------------------------------------------------

  GroupDescription describe(String groupId) {
    ClassicGroup group = groups.get(groupId);
    if (group == null) {
      return GroupDescription.refused(ErrorCode.GROUP_ID_NOT_FOUND, groupId);
    }
    boolean isStable = group.state() == GroupState.STABLE;
    List<GroupDescription.Member> members = new ArrayList<>(group.size());
    for (GroupMember member : group.members()) {
      members.add(
          new GroupDescription.Member(
              member.memberId(),
              member.instanceId(),
              member.clientId(),
              member.clientHost(),
              isStable ? member.metadata(group.protocol()) : OpaqueBytes.EMPTY,
              member.assignment()));
    }
    return new GroupDescription(
        ErrorCode.NONE,
        groupId,
        group.state().label(),
        orEmpty(group.protocolType()),
        isStable ? orEmpty(group.protocol()) : "",
        members);
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  void list(Predicate<GroupState> isWanted, List<GroupListing.Entry> out) {
    for (ClassicGroup group : groups.values()) {
      if (isWanted.test(group.state())) {
        out.add(
            new GroupListing.Entry(
                group.groupId(),
                orEmpty(group.protocolType()),
                group.state().label(),
                CLASSIC_TYPE));
      }
    }
  }

  void delete(String groupId, CompletableFuture<ErrorCode> answer) {
    ClassicGroup group = groups.get(groupId);
    if (group == null) {
      answer.complete(ErrorCode.GROUP_ID_NOT_FOUND);
      return;
    }
    if (group.state() != GroupState.EMPTY) {
      answer.complete(ErrorCode.NON_EMPTY_GROUP);
      return;
    }
    List<GroupRecord> tombstones = offsets.tombstones(groupId);
    tombstones.add(new GroupRemoved(groupId));
    journal.write(
        tombstones,
        offsets::apply,
        error -> {
          if (error == ErrorCode.NONE) {
            drop(group);
          }
          answer.complete(AppendErrors.forGroup(error));
        });
  }

  /** Removes a group whose tombstone is in the log, unless it has come to life meanwhile. */
  private void drop(ClassicGroup group) {
    if (group.state() == GroupState.EMPTY
        && offsets.hasNone(group.groupId())
        && groups.remove(group.groupId(), group)) {
      protocol.end(group, ErrorCode.UNKNOWN_MEMBER_ID);
    }
  }

  /** Removes expired offsets, and the groups that have nothing left. */
  void expire() {
    List<GroupRecord> tombstones = new ArrayList<>();
    List<ClassicGroup> ending = new ArrayList<>();
    for (ClassicGroup group : groups.values()) {
      boolean hasNothingLeft = offsets.collectExpired(group, tombstones);
      if (hasNothingLeft && group.isUnused()) {
        ending.add(group);
        if (group.generation() > 0) {
          tombstones.add(new GroupRemoved(group.groupId()));
        }
      }
    }
    journal.write(
        tombstones,
        offsets::apply,
        error -> {
          if (error == ErrorCode.NONE) {
            ending.stream().filter(ClassicGroup::isUnused).forEach(this::drop);
          }
        });
  }

  // ---- journal of the protocol -------------------------------------------------------------

  @Override
  public void store(GroupMetadata metadata, Consumer<ErrorCode> onStored) {
    journal.write(
        List.of(new GroupStored(metadata)),
        // What is stored of a group was known in memory before.
        record -> {},
        error -> onStored.accept(AppendErrors.forGroup(error)));
  }

  @Override
  public void forgetIfUnused(ClassicGroup group) {
    if (group.generation() == 0 && group.isUnused() && offsets.isUnused(group.groupId())) {
      if (groups.remove(group.groupId(), group)) {
        protocol.end(group, ErrorCode.UNKNOWN_MEMBER_ID);
      }
    }
  }
}
