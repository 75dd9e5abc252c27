package io.weirmq.server.internal.group;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.records.GroupRecord;
import io.weirmq.server.internal.group.records.GroupRecordCodec;
import io.weirmq.server.internal.group.records.KeyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the records of a shard, and says when they are in the log. Confined to one thread (the
 * coordinator's).
 */
final class ShardJournal {

  /** Most records of one append, so that a batch stays far below the largest allowed message. */
  static final int RECORDS_PER_APPEND_MAX = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(ShardJournal.class);

  private final int partition;
  private final OffsetsLog log;
  private final Executor coordinator;
  private boolean isClosed;

  /** Whether the last append was refused: a full disk refuses every one, for hours perhaps. */
  private boolean isRefused;

  ShardJournal(int partition, OffsetsLog log, Executor coordinator) {
    this.partition = partition;
    this.log = log;
    this.coordinator = coordinator;
  }

  /** From now on nothing is applied any more: somebody else goes on with the partition. */
  void close() {
    isClosed = true;
  }

  /**
   * Writes records.
   *
   * @param records any number; more than one append takes is written in several
   * @param apply told of each record that is in the log, in the order of the log
   * @param onWritten told once, never before this method returns: {@link ErrorCode#NONE} when all
   *     records are durable, else the first error
   */
  void write(
      List<GroupRecord> records, Consumer<GroupRecord> apply, Consumer<ErrorCode> onWritten) {
    if (records.isEmpty()) {
      coordinator.execute(() -> onWritten.accept(ErrorCode.NONE));
      return;
    }
    Outcome outcome = new Outcome(records.size(), onWritten);
    for (int from = 0; from < records.size(); from += RECORDS_PER_APPEND_MAX) {
      int to = Math.min(records.size(), from + RECORDS_PER_APPEND_MAX);
      append(List.copyOf(records.subList(from, to)), apply, outcome);
    }
  }

  private void append(List<GroupRecord> records, Consumer<GroupRecord> apply, Outcome outcome) {
    List<KeyValue> encoded = new ArrayList<>(records.size());
    records.forEach(record -> encoded.add(GroupRecordCodec.encode(record)));
    CompletionStage<@Nullable Void> appended = log.append(partition, encoded);
    appended.whenCompleteAsync(
        (nothing, failure) -> appended(records, apply, outcome, failure), coordinator);
  }

  private void appended(
      List<GroupRecord> records,
      Consumer<GroupRecord> apply,
      Outcome outcome,
      @Nullable Throwable failure) {
    ErrorCode error = isClosed ? ErrorCode.NOT_COORDINATOR : errorOf(failure);
    try {
      if (error == ErrorCode.NONE) {
        records.forEach(apply);
      }
      outcome.add(records.size(), error);
    } catch (RuntimeException e) {
      LOG.error("Records of __consumer_offsets-{} are in the log, but not applied", partition, e);
    }
  }

  private ErrorCode errorOf(@Nullable Throwable failure) {
    if (failure == null) {
      if (isRefused) {
        isRefused = false;
        LOG.info("Appends to __consumer_offsets-{} are taken again", partition);
      }
      return ErrorCode.NONE;
    }
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof OffsetsLogException refused) {
      if (!isRefused) {
        isRefused = true;
        LOG.warn(
            "Appends to __consumer_offsets-{} are refused, of which only the first is told: {}",
            partition,
            refused.getMessage());
      }
      return refused.error();
    }
    LOG.error("Append to __consumer_offsets-{} failed", partition, cause);
    return ErrorCode.UNKNOWN_SERVER_ERROR;
  }

  /** Waits for the appends of one write. Confined to one thread (the coordinator's). */
  private static final class Outcome {

    private final Consumer<ErrorCode> onWritten;
    private int missingCount;
    private ErrorCode firstError = ErrorCode.NONE;

    Outcome(int recordCount, Consumer<ErrorCode> onWritten) {
      this.missingCount = recordCount;
      this.onWritten = onWritten;
    }

    void add(int recordCount, ErrorCode error) {
      missingCount -= recordCount;
      if (firstError == ErrorCode.NONE) {
        firstError = error;
      }
      if (missingCount == 0) {
        onWritten.accept(firstError);
      }
    }
  }
}
