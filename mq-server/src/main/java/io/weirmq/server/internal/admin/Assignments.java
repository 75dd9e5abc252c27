package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rules for replicas that a client has assigned by hand. Immutable. */
final class Assignments {

  private final Set<Integer> brokerIds;

  /** Makes the rules over the live brokers. */
  Assignments(Set<Integer> brokerIds) {
    this.brokerIds = brokerIds;
  }

  /**
   * Checks the replicas of partitions, of which all must have the same number.
   *
   * @param replicationFactor the number of replicas, or 0 for the one of the first partition
   * @return the number of replicas
   */
  int check(List<List<Integer>> partitions, int replicationFactor) throws RefusedException {
    int expected = replicationFactor;
    for (List<Integer> replicas : partitions) {
      checkOne(replicas);
      if (expected == 0) {
        expected = replicas.size();
      } else if (replicas.size() != expected) {
        throw refused(
            "a partition is assigned to %d replica(s), others to %d"
                .formatted(replicas.size(), expected));
      }
    }
    return expected;
  }

  private void checkOne(List<Integer> replicas) throws RefusedException {
    if (replicas.isEmpty()) {
      throw refused("a partition is assigned to no replica");
    }
    Set<Integer> seen = new HashSet<>();
    for (Integer broker : replicas) {
      if (!brokerIds.contains(broker)) {
        throw refused("broker %d is not registered".formatted(broker));
      }
      if (!seen.add(broker)) {
        throw refused("broker %d is assigned to one partition twice".formatted(broker));
      }
    }
  }

  static RefusedException refused(String detail) {
    return new RefusedException(
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        "The manual partition assignment is not valid: " + detail + ".");
  }
}
