package io.weirmq.server.internal.group;

import io.weirmq.server.internal.group.records.KeyValue;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of {@code __consumer_offsets}, as the coordinator uses them. Safe for use by
 * several threads.
 */
public interface OffsetsLog {

  /**
   * Appends records to a partition, as one batch.
   *
   * <p>Appends to one partition complete in the order in which they were made, and each completion
   * returns before the next begins: the coordinator's memory follows the log by that.
   *
   * @param partition partition of the topic, led by this broker
   * @param records one or more records; their timestamps are the time of the append
   * @return completes when the records are durable by the rules of {@code acks=all}; fails with an
   *     {@link OffsetsLogException}. Must not block
   */
  CompletionStage<@Nullable Void> append(int partition, List<KeyValue> records);

  /**
   * Reads a partition from its start to the end that it has now.
   *
   * @param partition partition of the topic, led by this broker
   * @param visitor called on the thread that reads, in the order of the log
   * @return completes when all was visited, on a thread that sees what the visitor has done; fails
   *     where the partition can't be read. Must not block
   */
  CompletionStage<@Nullable Void> load(int partition, Visitor visitor);

  /** Receives the records of a partition. Confined to one thread (the reader's). */
  interface Visitor {

    /**
     * Called for each record; not for those of control batches, and not for those of aborted
     * transactions.
     *
     * @param offset offset of the record
     * @param key borrowed until the method returns; null where the record has none
     * @param value borrowed until the method returns; null for a tombstone
     */
    void onRecord(long offset, @Nullable ByteBuffer key, @Nullable ByteBuffer value);

    /**
     * Called for a batch that can't be read; reading goes on behind it.
     *
     * @param offset first offset of the batch
     * @param problem what is wrong with it
     */
    void onUnreadableBatch(long offset, String problem);
  }
}
