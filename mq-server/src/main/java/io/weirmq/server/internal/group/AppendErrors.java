package io.weirmq.server.internal.group;

import io.weirmq.protocol.ErrorCode;

/**
 * Turns what a producer would be told of a failed append into what the client of a group is told:
 * it knows nothing of the log behind. Stateless.
 */
final class AppendErrors {

  private AppendErrors() {}

  /** For members of groups: try again here, ask who coordinates, or give up. */
  static ErrorCode forGroup(ErrorCode appendError) {
    return switch (appendError) {
      case NONE -> ErrorCode.NONE;
      case UNKNOWN_TOPIC_OR_PARTITION,
          NOT_ENOUGH_REPLICAS,
          NOT_ENOUGH_REPLICAS_AFTER_APPEND,
          REQUEST_TIMED_OUT,
          COORDINATOR_NOT_AVAILABLE ->
          ErrorCode.COORDINATOR_NOT_AVAILABLE;
      case NOT_LEADER_OR_FOLLOWER, KAFKA_STORAGE_ERROR, NOT_COORDINATOR ->
          ErrorCode.NOT_COORDINATOR;
      default -> ErrorCode.UNKNOWN_SERVER_ERROR;
    };
  }

  /** For commits: as for groups, but a commit may also be too large. */
  static ErrorCode forCommit(ErrorCode appendError) {
    return switch (appendError) {
      case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE -> ErrorCode.INVALID_COMMIT_OFFSET_SIZE;
      default -> forGroup(appendError);
    };
  }
}
