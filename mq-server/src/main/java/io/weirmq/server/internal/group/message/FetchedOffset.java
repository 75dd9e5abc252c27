package io.weirmq.server.internal.group.message;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.storage.TopicPartition;

/**
 * The committed offset of a partition. Immutable.
 *
 * @param partition the partition
 * @param offset offset of the record to be read next, -1 where none is committed
 * @param leaderEpoch leader epoch that was committed with it, -1 where unknown
 * @param metadata text that was committed with it, empty where none
 * @param error {@link ErrorCode#NONE}, or why the offset is not told
 */
public record FetchedOffset(
    TopicPartition partition, long offset, int leaderEpoch, String metadata, ErrorCode error) {

  /** The offset where none is committed. */
  public static final long NO_OFFSET = -1;

  /** The leader epoch where none is known. */
  public static final int NO_LEADER_EPOCH = -1;

  /** A partition without a committed offset, which is no error. */
  public static FetchedOffset none(TopicPartition partition) {
    return refused(partition, ErrorCode.NONE);
  }

  /** A refusal. */
  public static FetchedOffset refused(TopicPartition partition, ErrorCode error) {
    return new FetchedOffset(partition, NO_OFFSET, NO_LEADER_EPOCH, "", error);
  }
}
