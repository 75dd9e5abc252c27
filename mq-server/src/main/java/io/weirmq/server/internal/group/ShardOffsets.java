package io.weirmq.server.internal.group;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.classic.ClassicGroup;
import io.weirmq.server.internal.group.classic.ClassicProtocol;
import io.weirmq.server.internal.group.classic.GroupClocks;
import io.weirmq.server.internal.group.classic.GroupState;
import io.weirmq.server.internal.group.message.FetchedOffset;
import io.weirmq.server.internal.group.message.OffsetCommitCommand;
import io.weirmq.server.internal.group.message.OffsetFetchResult;
import io.weirmq.server.internal.group.message.PartitionErrors;
import io.weirmq.server.internal.group.offsets.CommittedOffset;
import io.weirmq.server.internal.group.offsets.GroupOffsets;
import io.weirmq.server.internal.group.offsets.OffsetConfig;
import io.weirmq.server.internal.group.offsets.OffsetRetention;
import io.weirmq.server.internal.group.offsets.OffsetRetention.Use;
import io.weirmq.server.internal.group.records.GroupRecord;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetCommitted;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetRemoved;
import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The committed offsets of a shard's groups. Confined to one thread (the coordinator's).
 *
 * <p>Invariant: offsets change only when a record is in the log, in the order of the log. So memory
 * is what a replay gives, whatever deletes and commits overtake each other, and nobody reads an
 * offset that a restart would forget.
 */
final class ShardOffsets {

  private final OffsetConfig config;
  private final GroupClocks clocks;
  private final ShardJournal journal;
  private final ClassicProtocol protocol;
  private final Map<String, ClassicGroup> groups;
  private final OffsetRetention retention;
  private final Map<String, GroupOffsets> byGroup = new HashMap<>();

  /**
   * Makes a shard without offsets.
   *
   * @param groups the shard's groups by name, shared; one is made where a consumer without
   *     membership commits first
   */
  ShardOffsets(
      OffsetConfig config,
      GroupClocks clocks,
      ShardJournal journal,
      ClassicProtocol protocol,
      Map<String, ClassicGroup> groups) {
    this.config = config;
    this.clocks = clocks;
    this.journal = journal;
    this.protocol = protocol;
    this.groups = groups;
    this.retention = new OffsetRetention(config.retentionMs());
  }

  /** Takes over what was read from the log. */
  void restore(LoadedShard loaded) {
    byGroup.putAll(loaded.offsets());
    byGroup.keySet().forEach(this::groupOf);
  }

  private ClassicGroup groupOf(String groupId) {
    return groups.computeIfAbsent(groupId, id -> new ClassicGroup(id, clocks.nowMs()));
  }

  private GroupOffsets offsetsOf(String groupId) {
    return byGroup.computeIfAbsent(groupId, id -> new GroupOffsets());
  }

  // ---- commit ------------------------------------------------------------------------------

  void commit(OffsetCommitCommand command, CompletableFuture<PartitionErrors> answer) {
    ErrorCode refusal = checkCommit(command);
    if (refusal != ErrorCode.NONE) {
      answer.complete(PartitionErrors.refused(refusal));
      return;
    }
    Map<TopicPartition, ErrorCode> outcome = new LinkedHashMap<>();
    List<GroupRecord> records = new ArrayList<>(command.offsets().size());
    for (OffsetCommitCommand.Offset offset : command.offsets()) {
      if (offset.metadata().length() > config.metadataLengthMax()) {
        outcome.put(offset.partition(), ErrorCode.OFFSET_METADATA_TOO_LARGE);
      } else {
        records.add(committed(command, offset));
      }
    }
    if (records.isEmpty()) {
      answer.complete(new PartitionErrors(ErrorCode.NONE, outcome));
      return;
    }
    GroupOffsets offsets = offsetsOf(command.groupId());
    List<TopicPartition> partitions = partitionsOf(records);
    partitions.forEach(offsets::beginCommit);
    journal.write(
        records,
        this::apply,
        error -> {
          partitions.forEach(offsets::endCommit);
          if (offsets.isEmpty()) {
            byGroup.remove(command.groupId(), offsets);
          }
          ErrorCode told = AppendErrors.forCommit(error);
          partitions.forEach(partition -> outcome.put(partition, told));
          answer.complete(new PartitionErrors(ErrorCode.NONE, outcome));
        });
  }

  private ErrorCode checkCommit(OffsetCommitCommand command) {
    ClassicGroup group = groups.get(command.groupId());
    if (group != null) {
      return protocol.checkCommit(group, command.member(), command.generation());
    }
    return command.generation() < 0 ? ErrorCode.NONE : command.unknownGroupError();
  }

  private OffsetCommitted committed(
      OffsetCommitCommand command, OffsetCommitCommand.Offset offset) {
    long nowMs = clocks.nowMs();
    long expireTimestampMs =
        command.retentionMs() < 0 ? CommittedOffset.NO_EXPIRY : nowMs + command.retentionMs();
    return new OffsetCommitted(
        command.groupId(),
        offset.partition(),
        new CommittedOffset(
            offset.offset(), offset.leaderEpoch(), offset.metadata(), nowMs, expireTimestampMs));
  }

  private static List<TopicPartition> partitionsOf(List<GroupRecord> records) {
    List<TopicPartition> partitions = new ArrayList<>(records.size());
    for (GroupRecord record : records) {
      if (record instanceof OffsetCommitted committed) {
        partitions.add(committed.partition());
      }
    }
    return partitions;
  }

  /** Takes note of a record that is in the log. */
  void apply(GroupRecord record) {
    if (record instanceof OffsetCommitted committed) {
      groupOf(committed.groupId());
      offsetsOf(committed.groupId()).put(committed.partition(), committed.offset());
    } else if (record instanceof OffsetRemoved removed) {
      GroupOffsets offsets = byGroup.get(removed.groupId());
      if (offsets != null) {
        offsets.remove(removed.partition());
        if (offsets.isEmpty()) {
          byGroup.remove(removed.groupId());
        }
      }
    }
  }

  // ---- fetch -------------------------------------------------------------------------------

  OffsetFetchResult fetch(String groupId, @Nullable List<TopicPartition> partitions) {
    GroupOffsets offsets = byGroup.get(groupId);
    List<FetchedOffset> fetched = new ArrayList<>();
    if (partitions != null) {
      for (TopicPartition partition : partitions) {
        CommittedOffset offset = offsets == null ? null : offsets.offset(partition);
        fetched.add(offset == null ? FetchedOffset.none(partition) : fetched(partition, offset));
      }
    } else if (offsets != null) {
      offsets.forEach((partition, offset) -> fetched.add(fetched(partition, offset)));
    }
    return new OffsetFetchResult(ErrorCode.NONE, fetched);
  }

  private static FetchedOffset fetched(TopicPartition partition, CommittedOffset offset) {
    return new FetchedOffset(
        partition, offset.offset(), offset.leaderEpoch(), offset.metadata(), ErrorCode.NONE);
  }

  // ---- removal -----------------------------------------------------------------------------

  void delete(
      String groupId, List<TopicPartition> partitions, CompletableFuture<PartitionErrors> answer) {
    ClassicGroup group = groups.get(groupId);
    if (group == null) {
      answer.complete(PartitionErrors.refused(ErrorCode.GROUP_ID_NOT_FOUND));
      return;
    }
    boolean isInUse = group.state() != GroupState.EMPTY;
    if (isInUse && !group.isConsumerGroup()) {
      // Only of consumers it is known which offsets they use.
      answer.complete(PartitionErrors.refused(ErrorCode.NON_EMPTY_GROUP));
      return;
    }
    Map<TopicPartition, ErrorCode> outcome = new LinkedHashMap<>();
    List<GroupRecord> tombstones = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      if (isInUse && group.maySubscribe(partition.topic())) {
        outcome.put(partition, ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC);
      } else {
        outcome.put(partition, ErrorCode.NONE);
        if (holds(groupId, partition)) {
          tombstones.add(new OffsetRemoved(groupId, partition));
        }
      }
    }
    journal.write(
        tombstones,
        this::apply,
        error -> {
          ErrorCode told = AppendErrors.forGroup(error);
          if (told != ErrorCode.NONE) {
            outcome.replaceAll((partition, own) -> own == ErrorCode.NONE ? told : own);
          }
          answer.complete(new PartitionErrors(ErrorCode.NONE, outcome));
        });
  }

  private boolean holds(String groupId, TopicPartition partition) {
    GroupOffsets offsets = byGroup.get(groupId);
    return offsets != null
        && (offsets.offset(partition) != null || offsets.isCommitPending(partition));
  }

  /** The tombstones of all offsets of a group, those on their way into the log included. */
  List<GroupRecord> tombstones(String groupId) {
    return tombstones(groupId, partition -> true);
  }

  private List<GroupRecord> tombstones(String groupId, Predicate<TopicPartition> isWanted) {
    List<GroupRecord> tombstones = new ArrayList<>();
    GroupOffsets offsets = byGroup.get(groupId);
    if (offsets != null) {
      for (TopicPartition partition : offsets.partitions()) {
        if (isWanted.test(partition)) {
          tombstones.add(new OffsetRemoved(groupId, partition));
        }
      }
    }
    return tombstones;
  }

  /** Removes the offsets of partitions that no longer exist, in all groups. */
  void removePartitions(Predicate<TopicPartition> isGone) {
    List<GroupRecord> tombstones = new ArrayList<>();
    byGroup.keySet().forEach(groupId -> tombstones.addAll(tombstones(groupId, isGone)));
    // A failure leaves offsets of no use behind: they expire like all others.
    journal.write(tombstones, this::apply, error -> {});
  }

  /**
   * Adds the tombstones of a group's expired offsets.
   *
   * @return whether the group has no other offsets
   */
  boolean collectExpired(ClassicGroup group, List<GroupRecord> tombstones) {
    GroupOffsets offsets = byGroup.get(group.groupId());
    if (offsets == null) {
      return true;
    }
    List<TopicPartition> expired = retention.expired(offsets, useOf(group), clocks.nowMs());
    expired.forEach(partition -> tombstones.add(new OffsetRemoved(group.groupId(), partition)));
    return new HashSet<>(expired).containsAll(offsets.partitions());
  }

  private static Use useOf(ClassicGroup group) {
    if (group.protocolType() == null) {
      return new Use.Standalone();
    }
    if (group.state() == GroupState.EMPTY) {
      return new Use.Empty(group.stateTimestampMs());
    }
    // In a rebalance the subscriptions are in motion: nothing ends then.
    boolean isSettled = group.state() == GroupState.STABLE && group.isConsumerGroup();
    return new Use.Active(isSettled ? group::maySubscribe : topic -> true);
  }

  /** Whether a group has no offsets, and none on their way into the log. */
  boolean isUnused(String groupId) {
    GroupOffsets offsets = byGroup.get(groupId);
    return offsets == null || offsets.isEmpty();
  }

  /** Whether a group has no offsets, whatever is on its way into the log. */
  boolean hasNone(String groupId) {
    GroupOffsets offsets = byGroup.get(groupId);
    return offsets == null || offsets.hasNone();
  }
}
