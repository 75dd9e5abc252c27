package io.weirmq.storage;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * One data folder with the logs in it.
 *
 * <p>Opening takes the folder's lock, reads its state files and finds the partition folders; after
 * an unclean stop it recovers the unflushed tails. Safe for use by several threads.
 */
public interface LogDirectory extends AutoCloseable {

  /** The folder. */
  Path path();

  /** The folder's own id, made when it was first used. */
  UUID directoryId();

  /**
   * Whether the id was made at this opening: the folder was new, or the file that had its id was
   * damaged.
   */
  default boolean directoryIdIsNew() {
    return false;
  }

  /** The logs in this folder; a copy. */
  List<PartitionLog> logs();

  /** The log of a partition. */
  Optional<PartitionLog> log(TopicPartition partition);

  /** Why a log that lies in this folder could not be opened; empty where there is no such log. */
  default Optional<StorageException> unopened(TopicPartition partition) {
    return Optional.empty();
  }

  /**
   * Why the folder has failed since it was opened; empty while it has not. It stays so until the
   * folder is opened again.
   *
   * <p>A folder has failed where the disk refused a write or a force for another reason than lack
   * of room, and then refused a small one in the folder itself, too. Its logs can be read as far as
   * the disk lets them; nothing is made in it any more.
   */
  default Optional<StorageException> failure() {
    return Optional.empty();
  }

  /**
   * Makes the empty log of a partition, with the topic id recorded.
   *
   * <p>Nothing is forced to the disk, so that thousands can be made in a second: a power cut may
   * take a log away that was never flushed, a killed process does not. The log's first flush makes
   * folder, topic id and names durable before it counts as done. Who has to know its partitions
   * after a power cut keeps a durable list of them, and makes again what is missing; what a cut has
   * left of a folder is no obstacle to that.
   *
   * @throws StorageException where the folder exists or can't be made; what was made of it is taken
   *     away again as far as the disk lets it
   */
  PartitionLog create(TopicPartition partition, UUID topicId, LogConfig config)
      throws StorageException;

  /**
   * Takes a log away: renames its folder at once, so that the name is free, and removes the files
   * after {@code file.delete.delay.ms}. Slices that are held stay readable. The log must not be
   * attached to a pipeline any more.
   *
   * @throws StorageException where the folder can't be renamed, or the new name not be forced to
   *     the disk; the log is taken away then
   */
  void delete(TopicPartition partition) throws StorageException;

  /**
   * Takes a log away and keeps its files: renames its folder to one that is no log's ({@code
   * <topic>-<partition>.<unique>-stray}), which nobody removes. Slices that are held stay readable.
   * The log must not be attached to a pipeline any more.
   *
   * @return the new path
   * @throws StorageException as {@link #delete}
   */
  Path setAside(TopicPartition partition) throws StorageException;

  /**
   * Writes the checkpoint files: recovery points, log start offsets, high watermarks.
   *
   * @throws StorageException where a file can't be replaced
   */
  void writeCheckpoints() throws StorageException;

  /**
   * Removes files whose delay has passed.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  void purgeDeleted(long nowMs);

  /**
   * Flushes all logs, writes checkpoints and the clean-shutdown marker, closes files, and gives the
   * lock back. Pipelines must be closed before. Closing again does nothing.
   *
   * @throws StorageException where something could not be made durable; then no marker is written
   */
  @Override
  void close() throws StorageException;
}
