package io.weirmq.storage;

/**
 * What changes a log. Confined to one thread: the one of the pipeline that the log is attached to;
 * see {@link LogAppender#execute}.
 */
public interface LogWriter {

  /** The log as readers see it. */
  PartitionLog log();

  /** Raises the high watermark; a value at or below the present one, or above the end, is cut. */
  void advanceHighWatermark(long offset);

  /**
   * Begins a leader epoch at the log end, so that epoch queries know of it before the first record.
   *
   * @throws StorageException where the epoch can't be made durable
   */
  void beginEpoch(int leaderEpoch) throws StorageException;

  /**
   * Raises the log start offset and removes segments that lie below it whole.
   *
   * @param offset at most the high watermark
   * @return the log start offset afterwards
   * @throws OffsetOutOfRangeException where the offset is above the high watermark
   * @throws StorageException where the new start can't be made durable
   */
  long deleteRecordsBefore(long offset) throws StorageException;

  /**
   * Removes what the retention rules allow: segments by time, by size and below the log start;
   * never the active one, never at or above the high watermark.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   * @return the number of segments removed
   * @throws StorageException where a segment can't be removed
   */
  int applyRetention(long nowMs) throws StorageException;

  /**
   * Forgets producers that were idle for {@code producer.id.expiration.ms}.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  void expireProducers(long nowMs);

  /**
   * Cuts the log to an offset, on behalf of a follower.
   *
   * @throws StorageException where a file can't be shortened
   */
  void truncateTo(long offset) throws StorageException;

  /** Begins a new segment where the active one has records. */
  void roll() throws StorageException;

  /**
   * Puts all written bytes on the disk and raises the recovery point. Blocks the calling thread,
   * and with it all logs of its pipeline, until the disk is done; flush policies don't need it.
   *
   * @throws StorageException where the disk refuses
   */
  void flush() throws StorageException;

  /**
   * Asks for the disk where {@code flush.ms} has passed and the log has records that are not on it.
   * The pipeline's flush threads do it; the caller does not wait. An append looks itself, this is
   * for logs that get none.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  void flushIfDue(long nowMs);

  /**
   * Puts the log to rest where {@link PartitionLog#isRestDue} says so: writes what a clean stop
   * would, and asks for the disk, as {@link #flushIfDue} does. A start after a crash then need not
   * read the active segment.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   * @throws StorageException where a file can't be written; the log is as before
   */
  void rest(long nowMs) throws StorageException;

  /**
   * The offset below which the log is as durable as its flush policy asks for, at most the log end.
   * A leader that is alone in sync raises its high watermark up to here, so that nobody reads what
   * a power cut may take back and a producer has not been told.
   */
  long settledOffset();

  /** Puts another configuration in force. */
  void reconfigure(LogConfig config);
}
