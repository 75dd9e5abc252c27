package io.weirmq.replication.metadata;

import java.util.List;

/**
 * Who leads a partition and who holds copies of it. Immutable.
 *
 * @param leader broker id of the leader, {@link #NO_LEADER} where there is none
 * @param leaderEpoch counts the leaderships of the partition, 0 or more; never goes back
 * @param replicas broker ids of all copies, the preferred leader first; not empty
 * @param isr broker ids of the copies that are in sync; a subset of the replicas
 */
public record PartitionMetadata(
    int leader, int leaderEpoch, List<Integer> replicas, List<Integer> isr) {

  /** The value of {@link #leader()} where no broker leads the partition. */
  public static final int NO_LEADER = -1;

  /** Copies the lists and checks the invariants. */
  public PartitionMetadata {
    replicas = List.copyOf(replicas);
    isr = List.copyOf(isr);
    if (leaderEpoch < 0) {
      throw new IllegalArgumentException("leader epoch " + leaderEpoch + " is negative");
    }
    if (replicas.isEmpty()) {
      throw new IllegalArgumentException("a partition needs at least one replica");
    }
    if (!replicas.containsAll(isr)) {
      throw new IllegalArgumentException(
          "in-sync replicas " + isr + " are not a subset of the replicas " + replicas);
    }
  }

  /** Returns a new partition, led by its first replica, with all replicas in sync, in epoch 0. */
  public static PartitionMetadata created(List<Integer> replicas) {
    return new PartitionMetadata(replicas.get(0), 0, replicas, replicas);
  }

  /** Returns this partition under the same leader in the next leader epoch. */
  public PartitionMetadata withNextEpoch() {
    return withLeaderEpoch(leaderEpoch + 1);
  }

  /** Returns this partition under the same leader in another leader epoch. */
  public PartitionMetadata withLeaderEpoch(int epoch) {
    return new PartitionMetadata(leader, epoch, replicas, isr);
  }
}
