package io.weirmq.server.internal.produce;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.ProduceResponse.BatchIndexAndErrorMessage;
import io.weirmq.protocol.message.ProduceResponse.PartitionProduceResponse;
import io.weirmq.replication.ProduceCallback;
import io.weirmq.replication.ProduceResult;
import io.weirmq.replication.ProduceResult.Accepted;
import io.weirmq.replication.ProduceResult.NotEnoughReplicas;
import io.weirmq.replication.ProduceResult.Refused;
import io.weirmq.replication.ProduceResult.StorageFailed;
import io.weirmq.server.internal.partition.ProduceErrors;
import io.weirmq.storage.AppendResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One batch of a produce request and what became of it. The outcome is written once, by whichever
 * thread knows it, and read by others after {@link #isAnswered()} was seen true.
 */
final class PartitionAppend implements ProduceCallback {

  private static final long UNKNOWN_OFFSET = -1;

  private final ProduceOperation operation;
  private final PartitionProduceResponse response;
  private volatile boolean answered;

  PartitionAppend(ProduceOperation operation, int partition) {
    this.operation = operation;
    this.response =
        new PartitionProduceResponse().setIndex(partition).setBaseOffset(UNKNOWN_OFFSET);
  }

  /** The place in the response; complete once {@link #isAnswered()}. */
  PartitionProduceResponse response() {
    return response;
  }

  boolean isAnswered() {
    return answered;
  }

  /** Returns the answer to give where the time is over: the outcome, or that it is not known. */
  PartitionProduceResponse responseNow() {
    return answered
        ? response
        : new PartitionProduceResponse()
            .setIndex(response.index())
            .setBaseOffset(UNKNOWN_OFFSET)
            .setErrorCode(ErrorCode.REQUEST_TIMED_OUT.code());
  }

  @Override
  public void onResult(ProduceResult result) {
    if (result instanceof Accepted accepted) {
      response
          .setBaseOffset(accepted.baseOffset())
          .setLogAppendTimeMs(accepted.logAppendTimeMs())
          .setLogStartOffset(accepted.logStartOffset());
      answered = true;
      operation.answered(ErrorCode.NONE);
    } else {
      if (result instanceof Refused refused) {
        response.setRecordErrors(recordErrors(refused.rejection()));
      }
      refuse(ProduceErrors.of(result), message(result));
    }
  }

  /** Settles this batch with an error. */
  void refuse(ErrorCode error, @Nullable String message) {
    response.setErrorCode(operation.told(error).code()).setErrorMessage(message);
    answered = true;
    operation.answered(error);
  }

  private static @Nullable String message(ProduceResult result) {
    if (result instanceof Refused refused) {
      return refused.rejection().message();
    } else if (result instanceof StorageFailed failed) {
      return failed.cause().getMessage();
    } else if (result instanceof NotEnoughReplicas few) {
      return "%d replicas are in sync, min.insync.replicas is %d"
          .formatted(few.inSyncCount(), few.requiredCount());
    }
    return null;
  }

  private static List<BatchIndexAndErrorMessage> recordErrors(AppendResult.Rejected rejection) {
    List<BatchIndexAndErrorMessage> errors = new ArrayList<>();
    for (AppendResult.RecordError error : rejection.recordErrors()) {
      errors.add(
          new BatchIndexAndErrorMessage()
              .setBatchIndex(error.index())
              .setBatchIndexErrorMessage(error.message()));
    }
    return errors;
  }
}
