package io.weirmq.replication;

import java.util.ArrayList;
import java.util.List;

/**
 * Kafka's default placement: partition i goes to broker i mod n, its j-th replica to the j-th
 * broker behind that, and each topic starts at another broker. Immutable.
 */
public final class ReplicaPlacement {

  private final List<Integer> brokerIds;

  /**
   * Makes the placement over brokers.
   *
   * @param brokerIds ids of the live brokers, at least one
   */
  public ReplicaPlacement(List<Integer> brokerIds) {
    if (brokerIds.isEmpty()) {
      throw new IllegalArgumentException("no live broker to place partitions on");
    }
    this.brokerIds = List.copyOf(brokerIds);
  }

  /**
   * Returns the replicas of partitions, the preferred leader first.
   *
   * @param firstPartition number of the first partition to place
   * @param partitionCount number of partitions to place
   * @param replicationFactor replicas per partition, 1 to the number of brokers
   * @param start shifts the topic's first broker; any number
   */
  public List<List<Integer>> place(
      int firstPartition, int partitionCount, int replicationFactor, int start) {
    int brokerCount = brokerIds.size();
    if (replicationFactor < 1 || replicationFactor > brokerCount) {
      throw new IllegalArgumentException(
          "replication factor %d is outside of 1..%d".formatted(replicationFactor, brokerCount));
    }
    List<List<Integer>> placed = new ArrayList<>(partitionCount);
    for (int i = 0; i < partitionCount; i++) {
      int leader = Math.floorMod(start + firstPartition + i, brokerCount);
      List<Integer> replicas = new ArrayList<>(replicationFactor);
      for (int j = 0; j < replicationFactor; j++) {
        replicas.add(brokerIds.get((leader + j) % brokerCount));
      }
      placed.add(replicas);
    }
    return placed;
  }
}
