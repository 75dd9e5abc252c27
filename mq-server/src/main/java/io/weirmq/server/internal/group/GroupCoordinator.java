package io.weirmq.server.internal.group;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.classic.ClassicConfig;
import io.weirmq.server.internal.group.classic.GroupClocks;
import io.weirmq.server.internal.group.classic.GroupState;
import io.weirmq.server.internal.group.message.GroupDescription;
import io.weirmq.server.internal.group.message.GroupListing;
import io.weirmq.server.internal.group.message.HeartbeatCommand;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.LeaveGroupResult;
import io.weirmq.server.internal.group.message.LeavingMember;
import io.weirmq.server.internal.group.message.OffsetCommitCommand;
import io.weirmq.server.internal.group.message.OffsetFetchResult;
import io.weirmq.server.internal.group.message.PartitionErrors;
import io.weirmq.server.internal.group.message.SyncGroupCommand;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import io.weirmq.server.internal.schedule.Scheduler;
import io.weirmq.storage.TopicPartition;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coordinates groups: who is a member, who reads what, and how far it has come. Safe for use by
 * several threads.
 *
 * <p>Each call hops on to the coordinator's thread, which alone sees the state; the answers
 * complete there. A call for a group whose partition is led elsewhere is answered with {@link
 * ErrorCode#NOT_COORDINATOR}, one whose partition is not read to its end with {@link
 * ErrorCode#COORDINATOR_LOAD_IN_PROGRESS}.
 */
public final class GroupCoordinator implements AutoCloseable {

  /** Most calls that wait for the coordinator's thread; more are told to come again. */
  static final int WAITING_CALLS_MAX = 100_000;

  private static final Logger LOG = LoggerFactory.getLogger(GroupCoordinator.class);

  private final Executor thread;
  private final IntSupplier partitionCount;
  private final CoordinatorShards shards;
  private final Scheduler timer;
  private final long retentionCheckIntervalMs;
  private final AtomicInteger waitingCallCount = new AtomicInteger();
  private volatile boolean isClosed;

  /**
   * Makes a coordinator that leads no partition yet.
   *
   * @param config its settings
   * @param log the partitions of {@code __consumer_offsets}
   * @param partitionCount number of partitions of the topic, 0 while it does not exist; asked on
   *     any thread
   * @param coordinatorExecutor runs tasks one after the other, in the order given: the
   *     coordinator's thread
   * @param scheduler tells when time has passed, by the monotonic clock
   * @param wall time of day, for stored timestamps only
   * @param nanos monotonic time, in nanoseconds
   * @param uuids makes the unique part of member ids, random ones in a broker
   */
  public GroupCoordinator(
      GroupConfig config,
      OffsetsLog log,
      IntSupplier partitionCount,
      Executor coordinatorExecutor,
      Scheduler scheduler,
      InstantSource wall,
      LongSupplier nanos,
      Supplier<UUID> uuids) {
    this.thread = coordinatorExecutor;
    this.partitionCount = partitionCount;
    this.timer = new ConfinedScheduler(scheduler, coordinatorExecutor);
    this.shards =
        new CoordinatorShards(
            config, new GroupClocks(wall, nanos, timer), log, coordinatorExecutor, uuids);
    this.retentionCheckIntervalMs = config.offsets().retentionCheckIntervalMs();
  }

  /** Begins to look for expired offsets from time to time. */
  public void start() {
    timer.schedule(retentionCheckIntervalMs, this::expire);
  }

  private void expire() {
    if (!isClosed) {
      // One task for each shard, so that requests get their turn in between.
      shards.active().forEach(shard -> thread.execute(shard::expire));
      timer.schedule(retentionCheckIntervalMs, this::expire);
    }
  }

  // ---- partitions --------------------------------------------------------------------------

  /**
   * Takes over a partition that this broker leads now. From the return of this method on its groups
   * are answered for, first with {@link ErrorCode#COORDINATOR_LOAD_IN_PROGRESS}.
   *
   * @return completes when the partition is read to its end, or given up again; fails where it
   *     can't be read
   */
  public CompletionStage<@Nullable Void> lead(int partition) {
    CompletableFuture<@Nullable Void> ready = new CompletableFuture<>();
    thread.execute(() -> shards.lead(partition, ready));
    return ready;
  }

  /** Lets a partition go that this broker no longer leads. */
  public void resign(int partition) {
    thread.execute(() -> shards.resign(partition, ErrorCode.NOT_COORDINATOR));
  }

  /** Forgets the offsets of a topic that was deleted, in all groups. */
  public void topicDeleted(String topic) {
    partitionsDeleted(partition -> partition.topic().equals(topic));
  }

  /** Forgets the offsets of partitions that were deleted, in all groups. */
  public void partitionsDeleted(Predicate<TopicPartition> isGone) {
    thread.execute(
        () -> shards.active().forEach(shard -> shard.offsets().removePartitions(isGone)));
  }

  /** Answers what is parked, and lets all partitions go. */
  @Override
  public void close() {
    isClosed = true;
    try {
      thread.execute(shards::close);
    } catch (RejectedExecutionException e) {
      LOG.debug("The coordinator's thread has ended before the coordinator", e);
    }
  }

  // ---- members -----------------------------------------------------------------------------

  /** Lets a member into a group; completes when the generation begins. */
  public CompletionStage<JoinGroupResult> join(JoinGroupCommand command) {
    return askNamed(
        command.groupId(),
        error -> JoinGroupResult.refused(error, command.member().memberId()),
        (shard, answer) -> shard.join(command, answer));
  }

  /** Gives a member its assignment; completes when that is stored. */
  public CompletionStage<SyncGroupResult> sync(SyncGroupCommand command) {
    return askNamed(
        command.groupId(),
        SyncGroupResult::refused,
        (shard, answer) -> shard.sync(command, answer));
  }

  /** Takes note that a member lives. */
  public CompletionStage<ErrorCode> heartbeat(HeartbeatCommand command) {
    return askNamed(
        command.groupId(),
        Function.identity(),
        (shard, answer) -> answer.complete(shard.heartbeat(command)));
  }

  /** Lets members go. */
  public CompletionStage<LeaveGroupResult> leave(String groupId, List<LeavingMember> members) {
    return askNamed(
        groupId,
        LeaveGroupResult::refused,
        (shard, answer) -> answer.complete(shard.leave(groupId, members)));
  }

  // ---- offsets -----------------------------------------------------------------------------

  /** Stores offsets; completes when they are durable. */
  public CompletionStage<PartitionErrors> commit(OffsetCommitCommand command) {
    return ask(
        command.groupId(),
        PartitionErrors::refused,
        (shard, answer) -> shard.offsets().commit(command, answer));
  }

  /**
   * Reads offsets. As no transaction of this broker commits offsets, all of them are stable.
   *
   * @param groupId name of the group; one that does not exist has no offsets
   * @param partitions what to read, null for all that there is
   */
  public CompletionStage<OffsetFetchResult> fetch(
      String groupId, @Nullable List<TopicPartition> partitions) {
    return ask(
        groupId,
        OffsetFetchResult::refused,
        (shard, answer) -> answer.complete(shard.offsets().fetch(groupId, partitions)));
  }

  /** Deletes offsets that no member of the group uses. */
  public CompletionStage<PartitionErrors> deleteOffsets(
      String groupId, List<TopicPartition> partitions) {
    return askNamed(
        groupId,
        PartitionErrors::refused,
        (shard, answer) -> shard.offsets().delete(groupId, partitions, answer));
  }

  // ---- administration ----------------------------------------------------------------------

  /** Shows a group. */
  public CompletionStage<GroupDescription> describe(String groupId) {
    return ask(
        groupId,
        error -> GroupDescription.refused(error, groupId),
        (shard, answer) -> answer.complete(shard.describe(groupId)));
  }

  /** Deletes a group without members, with all its offsets. */
  public CompletionStage<ErrorCode> delete(String groupId) {
    return ask(groupId, Function.identity(), (shard, answer) -> shard.delete(groupId, answer));
  }

  /**
   * Lists the groups of this broker.
   *
   * @param states names of the states wanted, in any case; empty for all
   * @param types names of the types wanted, in any case; empty for all
   */
  public CompletionStage<GroupListing> list(Set<String> states, Set<String> types) {
    CompletableFuture<GroupListing> answer = new CompletableFuture<>();
    Set<String> wantedStates = lowerCase(states);
    boolean isTypeWanted = types.isEmpty() || lowerCase(types).contains(GroupShard.CLASSIC_TYPE);
    Predicate<GroupState> isWanted =
        state ->
            isTypeWanted
                && (wantedStates.isEmpty()
                    || wantedStates.contains(state.label().toLowerCase(Locale.ROOT)));
    Function<ErrorCode, GroupListing> refusal = error -> new GroupListing(error, List.of());
    hop(answer, refusal, () -> list(isWanted, answer));
    return answer;
  }

  private static Set<String> lowerCase(Set<String> names) {
    return names.stream()
        .map(name -> name.toLowerCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  private void list(Predicate<GroupState> isWanted, CompletableFuture<GroupListing> answer) {
    if (shards.isLoading()) {
      // Half a list would look as if the other groups were gone.
      answer.complete(new GroupListing(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, List.of()));
      return;
    }
    List<GroupListing.Entry> entries = new ArrayList<>();
    shards.active().forEach(shard -> shard.list(isWanted, entries));
    answer.complete(new GroupListing(ErrorCode.NONE, entries));
  }

  // ---- routing -----------------------------------------------------------------------------

  private <T> CompletionStage<T> askNamed(
      String groupId,
      Function<ErrorCode, T> refusal,
      BiConsumer<GroupShard, CompletableFuture<T>> action) {
    return groupId.isEmpty()
        ? CompletableFuture.completedFuture(refusal.apply(ErrorCode.INVALID_GROUP_ID))
        : ask(groupId, refusal, action);
  }

  private <T> CompletionStage<T> ask(
      String groupId,
      Function<ErrorCode, T> refusal,
      BiConsumer<GroupShard, CompletableFuture<T>> action) {
    if (groupId.length() > ClassicConfig.NAME_CHARS_MAX) {
      return CompletableFuture.completedFuture(refusal.apply(ErrorCode.INVALID_GROUP_ID));
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    hop(answer, refusal, () -> route(groupId, answer, refusal, action));
    return answer;
  }

  private <T> void hop(CompletableFuture<T> answer, Function<ErrorCode, T> refusal, Runnable task) {
    if (isClosed || waitingCallCount.incrementAndGet() > WAITING_CALLS_MAX) {
      waitingCallCount.decrementAndGet();
      answer.complete(refusal.apply(ErrorCode.COORDINATOR_NOT_AVAILABLE));
      return;
    }
    try {
      thread.execute(
          () -> {
            waitingCallCount.decrementAndGet();
            run(answer, task);
          });
    } catch (RejectedExecutionException e) {
      waitingCallCount.decrementAndGet();
      answer.complete(refusal.apply(ErrorCode.COORDINATOR_NOT_AVAILABLE));
    }
  }

  private static void run(CompletableFuture<?> answer, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    }
  }

  private <T> void route(
      String groupId,
      CompletableFuture<T> answer,
      Function<ErrorCode, T> refusal,
      BiConsumer<GroupShard, CompletableFuture<T>> action) {
    int count = partitionCount.getAsInt();
    if (count == 0) {
      answer.complete(refusal.apply(ErrorCode.NOT_COORDINATOR));
      return;
    }
    int partition = GroupPartitions.partitionOf(groupId, count);
    GroupShard shard = shards.active(partition);
    if (shard == null) {
      answer.complete(refusal.apply(shards.unavailability(partition)));
    } else {
      action.accept(shard, answer);
    }
  }
}
