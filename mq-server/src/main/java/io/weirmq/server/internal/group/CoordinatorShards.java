package io.weirmq.server.internal.group;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.classic.GroupClocks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shards of the partitions that this broker leads. Confined to one thread (the coordinator's).
 *
 * <p>A partition is loading, active, or failed. Nothing is answered from a partition that is not
 * read to its end: a group that is not there yet would look as if it had never been.
 */
final class CoordinatorShards {

  /** Attempts to read a partition before it has failed, and those who wait for it are told. */
  static final int LOAD_ATTEMPTS_MAX = 10;

  /** Time between two attempts to read a partition, in milliseconds. */
  static final int LOAD_RETRY_MS = 5_000;

  /**
   * Time between two attempts to read a partition that has failed, in milliseconds: a full disk
   * that kept its log from being made may have room again.
   */
  static final int FAILED_RETRY_MS = 60_000;

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorShards.class);

  private final GroupConfig config;
  private final GroupClocks clocks;
  private final OffsetsLog log;
  private final Executor coordinator;
  private final Supplier<UUID> uuids;
  private final Map<Integer, Slot> slots = new HashMap<>();

  CoordinatorShards(
      GroupConfig config,
      GroupClocks clocks,
      OffsetsLog log,
      Executor coordinator,
      Supplier<UUID> uuids) {
    this.config = config;
    this.clocks = clocks;
    this.log = log;
    this.coordinator = coordinator;
    this.uuids = uuids;
  }

  /** A partition that this broker leads. Confined to one thread (the coordinator's). */
  private static final class Slot {
    final int partition;
    final CompletableFuture<@Nullable Void> ready;
    @Nullable GroupShard shard;
    boolean hasFailed;
    int attemptCount;

    Slot(int partition, CompletableFuture<@Nullable Void> ready) {
      this.partition = partition;
      this.ready = ready;
    }
  }

  /** Begins to read a partition; does nothing where it is read already. */
  void lead(int partition, CompletableFuture<@Nullable Void> ready) {
    Slot known = slots.get(partition);
    if (known != null && !known.hasFailed) {
      known.ready.whenComplete(
          (nothing, failure) -> {
            if (failure == null) {
              ready.complete(null);
            } else {
              ready.completeExceptionally(failure);
            }
          });
      return;
    }
    Slot slot = new Slot(partition, ready);
    slots.put(partition, slot);
    load(slot);
  }

  private void load(Slot slot) {
    if (slots.get(slot.partition) != slot) {
      return;
    }
    slot.attemptCount++;
    LoadedShard loaded = new LoadedShard(slot.partition);
    log.load(slot.partition, loaded)
        .whenCompleteAsync((nothing, failure) -> loaded(slot, loaded, failure), coordinator);
  }

  private void loaded(Slot slot, LoadedShard loaded, @Nullable Throwable failure) {
    if (slots.get(slot.partition) != slot) {
      // Another broker has taken the partition over while it was read.
      return;
    }
    if (failure == null) {
      loaded.report();
      ShardJournal journal = new ShardJournal(slot.partition, log, coordinator);
      GroupShard shard = new GroupShard(config, clocks, journal, uuids);
      shard.restore(loaded);
      slot.shard = shard;
      slot.hasFailed = false;
      slot.ready.complete(null);
    } else if (slot.hasFailed) {
      clocks.scheduler().schedule(FAILED_RETRY_MS, () -> load(slot));
    } else if (slot.attemptCount < LOAD_ATTEMPTS_MAX) {
      LOG.error(
          "__consumer_offsets-{} can't be read (attempt {} of {}); its groups are not available,"
              + " next attempt in {} ms",
          slot.partition,
          slot.attemptCount,
          LOAD_ATTEMPTS_MAX,
          LOAD_RETRY_MS,
          failure);
      clocks.scheduler().schedule(LOAD_RETRY_MS, () -> load(slot));
    } else {
      LOG.error(
          "__consumer_offsets-{} can't be read after {} attempts; its groups are not available, and"
              + " it is tried again each {} ms",
          slot.partition,
          slot.attemptCount,
          FAILED_RETRY_MS,
          failure);
      slot.hasFailed = true;
      slot.ready.completeExceptionally(failure);
      clocks.scheduler().schedule(FAILED_RETRY_MS, () -> load(slot));
    }
  }

  /** Lets a partition go: another broker leads it now. */
  void resign(int partition, ErrorCode error) {
    Slot slot = slots.remove(partition);
    if (slot == null) {
      return;
    }
    if (slot.shard != null) {
      slot.shard.close(error);
    }
    slot.ready.complete(null);
  }

  /** Lets all partitions go. */
  void close() {
    for (Integer partition : List.copyOf(slots.keySet())) {
      resign(partition, ErrorCode.COORDINATOR_NOT_AVAILABLE);
    }
  }

  /** The shard of a partition; null where {@link #unavailability} says why. */
  @Nullable GroupShard active(int partition) {
    Slot slot = slots.get(partition);
    return slot == null ? null : slot.shard;
  }

  /** Why a partition has no active shard. */
  ErrorCode unavailability(int partition) {
    Slot slot = slots.get(partition);
    return slot == null || slot.hasFailed
        ? ErrorCode.NOT_COORDINATOR
        : ErrorCode.COORDINATOR_LOAD_IN_PROGRESS;
  }

  /** Whether some partition is not read to its end yet. */
  boolean isLoading() {
    return slots.values().stream().anyMatch(slot -> slot.shard == null && !slot.hasFailed);
  }

  /** All active shards. */
  List<GroupShard> active() {
    List<GroupShard> active = new ArrayList<>(slots.size());
    for (Slot slot : slots.values()) {
      if (slot.shard != null) {
        active.add(slot.shard);
      }
    }
    return active;
  }
}
