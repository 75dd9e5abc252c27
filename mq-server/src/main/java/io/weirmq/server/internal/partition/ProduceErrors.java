package io.weirmq.server.internal.partition;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.replication.ProduceResult;
import io.weirmq.replication.ProduceResult.Accepted;
import io.weirmq.replication.ProduceResult.NotEnoughReplicas;
import io.weirmq.replication.ProduceResult.NotLeader;
import io.weirmq.replication.ProduceResult.Refused;
import io.weirmq.replication.ProduceResult.StorageFailed;
import io.weirmq.storage.AppendResult.RejectReason;

/** The table from outcomes of appends to error codes; it is total. */
public final class ProduceErrors {

  private ProduceErrors() {}

  /** Returns the error code of an outcome. */
  public static ErrorCode of(ProduceResult result) {
    if (result instanceof Accepted) {
      return ErrorCode.NONE;
    } else if (result instanceof Refused refused) {
      return of(refused.rejection().reason());
    } else if (result instanceof StorageFailed) {
      return ErrorCode.KAFKA_STORAGE_ERROR;
    } else if (result instanceof NotLeader) {
      return ErrorCode.NOT_LEADER_OR_FOLLOWER;
    } else if (result instanceof NotEnoughReplicas notEnough) {
      return notEnough.appended()
          ? ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
          : ErrorCode.NOT_ENOUGH_REPLICAS;
    }
    throw new IllegalStateException("unknown outcome " + result);
  }

  /** Returns the error code of a broken rule. */
  public static ErrorCode of(RejectReason reason) {
    return switch (reason) {
      case CORRUPT_MESSAGE -> ErrorCode.CORRUPT_MESSAGE;
      case INVALID_RECORD -> ErrorCode.INVALID_RECORD;
      case MESSAGE_TOO_LARGE -> ErrorCode.MESSAGE_TOO_LARGE;
      case RECORD_LIST_TOO_LARGE -> ErrorCode.RECORD_LIST_TOO_LARGE;
      case INVALID_TIMESTAMP -> ErrorCode.INVALID_TIMESTAMP;
      case UNSUPPORTED_COMPRESSION_TYPE -> ErrorCode.UNSUPPORTED_COMPRESSION_TYPE;
      case OUT_OF_ORDER_SEQUENCE_NUMBER -> ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER;
      case INVALID_PRODUCER_EPOCH -> ErrorCode.INVALID_PRODUCER_EPOCH;
      case INVALID_TXN_STATE -> ErrorCode.INVALID_TXN_STATE;
      case TRANSACTION_COORDINATOR_FENCED -> ErrorCode.TRANSACTION_COORDINATOR_FENCED;
    };
  }
}
