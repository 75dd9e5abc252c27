package io.weirmq.server.internal.partition;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.replication.Partition;

/** Whether a partition serves a client that knows a certain leader epoch. */
public final class EpochChecks {

  private EpochChecks() {}

  /**
   * Returns what a client is to be told, or {@link ErrorCode#NONE} where this broker leads the
   * partition in the epoch that the client knows.
   *
   * @param currentLeaderEpoch leader epoch that the client knows, -1 for no check
   */
  public static ErrorCode check(Partition partition, int currentLeaderEpoch) {
    if (!partition.isLeader()) {
      return ErrorCode.NOT_LEADER_OR_FOLLOWER;
    }
    return switch (partition.checkLeaderEpoch(currentLeaderEpoch)) {
      case OK -> ErrorCode.NONE;
      case FENCED -> ErrorCode.FENCED_LEADER_EPOCH;
      case UNKNOWN -> ErrorCode.UNKNOWN_LEADER_EPOCH;
    };
  }
}
