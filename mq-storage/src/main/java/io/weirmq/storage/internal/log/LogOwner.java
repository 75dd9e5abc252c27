package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import java.nio.file.Path;

/** What a log needs of the data folder that it lies in. Safe for use by several threads. */
public interface LogOwner {

  /**
   * Makes a log start offset durable.
   *
   * @throws StorageException where it can't be
   */
  void recordLogStart(TopicPartition partition, long logStartOffset) throws StorageException;

  /**
   * Makes the present recovery points of all logs durable. A log that has lowered its own calls
   * this before it writes anything in the place of what it believed to be on the disk.
   *
   * @throws StorageException where they can't be
   */
  void recordRecoveryPoints() throws StorageException;

  /**
   * Makes the name of a log's folder and the record of its topic id durable, which its creation
   * does not. The names in the folder are forced by the log.
   *
   * @throws StorageException where they can't be
   */
  void forceBirth(TopicPartition partition) throws StorageException;

  /**
   * Makes the offset durable below which a log was compacted.
   *
   * @throws StorageException where it can't be
   */
  void recordCleaned(TopicPartition partition, long cleanedOffset) throws StorageException;

  /**
   * Tells that the disk refused a write or a force of a log; the owner may look whether it refuses
   * others, too. Blocks for that.
   */
  void diskRefused(StorageException cause);

  /** Removes a file, which carries the suffix of deleted ones already, after a delay. */
  void removeLater(Path file, long delayMs);
}
