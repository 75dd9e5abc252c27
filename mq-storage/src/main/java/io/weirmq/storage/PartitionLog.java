package io.weirmq.storage;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The log of one partition, as readers see it. Single writer, many readers.
 *
 * <p>Offsets are published in this order: records are written, then {@link #logEndOffset()} rises,
 * then the owner of the partition may raise {@link #highWatermark()}. Readers never lock out the
 * writer. What changes a log is in {@link LogWriter}, which only the thread of the log's pipeline
 * holds; see {@link LogAppender}.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>{@code logStartOffset <= lastStableOffset <= highWatermark <= logEndOffset}
 *   <li>none of the four goes back, except that truncation lowers the end
 *   <li>below the log end, a position that was read never holds other bytes later
 * </ul>
 */
public interface PartitionLog {

  /** The partition. */
  TopicPartition topicPartition();

  /** The identity of the topic, which differs after it was deleted and made again. */
  UUID topicId();

  /** The configuration in force. */
  LogConfig config();

  /** The first offset that may be read. */
  long logStartOffset();

  /** The offset that the next record gets. */
  long logEndOffset();

  /** The offset below which records are replicated as far as the partition demands. */
  long highWatermark();

  /** The offset below which no transaction is undecided; at most the high watermark. */
  long lastStableOffset();

  /** The largest leader epoch with records, or -1 where there is none. */
  int latestEpoch();

  /**
   * Whether the last write succeeded. While it did not, appends fail; the log looks at the disk
   * again by itself, at most once a second, when one comes.
   */
  default boolean isWritable() {
    return true;
  }

  /**
   * Whether the log has had no append for some minutes, and a start after a crash would read its
   * active segment: {@link LogWriter#rest} changes that. Costs a few fields.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  default boolean isRestDue(long nowMs) {
    return false;
  }

  /** The sum of all segment files in bytes, without indexes. */
  long sizeBytes();

  /** The number of segments. */
  int segmentCount();

  /**
   * Reads whole or cut batches from the one that contains {@code offset} (or, where no batch does,
   * the next one).
   *
   * @param offset from {@link #logStartOffset()} to {@link #logEndOffset()}
   * @param maxBytes upper bound of the slice's length; the slice may end inside a batch
   * @param limitOffset no batch at or above this offset is returned; one of the published offsets
   * @param atLeastOneBatch whether the first batch is returned whole also where it exceeds {@code
   *     maxBytes}
   * @return a slice that the caller releases; it may be empty
   * @throws OffsetOutOfRangeException where the offset is outside the log
   * @throws StorageException where the log can't be read
   */
  LogSlice read(long offset, int maxBytes, long limitOffset, boolean atLeastOneBatch)
      throws StorageException;

  /**
   * Returns the first record whose timestamp is at or above a time.
   *
   * @param timestampMs milliseconds since the epoch
   * @param limitOffset records at or above this offset don't count
   * @throws StorageException where the log can't be read
   */
  Optional<TimestampedOffset> findByTimestamp(long timestampMs, long limitOffset)
      throws StorageException;

  /**
   * Returns the record with the greatest timestamp, the first of them where several have it; empty
   * where the log has no records.
   *
   * @throws StorageException where the log can't be read
   */
  Optional<TimestampedOffset> findMaxTimestamp() throws StorageException;

  /**
   * Answers an epoch query (KIP-101, KIP-320): for the current epoch the log end; for others the
   * largest known epoch at or below, with the start of the next higher one; below everything known
   * the asked epoch with the start of the first; above everything {@link EpochEndOffset#UNDEFINED}.
   *
   * @param epoch the asked leader epoch
   * @param currentEpoch the leader epoch of the partition now
   */
  EpochEndOffset endOffsetOfEpoch(int epoch, int currentEpoch);

  /** The leader epoch of the record at an offset, or -1 where it is unknown. */
  int epochOfOffset(long offset);

  /**
   * Returns the aborted transactions that a reader of a range must know: those with a last offset
   * at or above {@code fromOffset} and a first offset below {@code toOffset}, by first offset.
   *
   * @throws StorageException where a transaction index can't be read
   */
  List<AbortedTransaction> abortedTransactions(long fromOffset, long toOffset)
      throws StorageException;

  /** The producers whose sequences this log remembers; a copy. */
  List<ProducerSummary> producers();
}
