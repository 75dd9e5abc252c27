package io.weirmq.storage.internal;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogWriter;
import io.weirmq.storage.StorageException;

/**
 * What the pipeline's writer thread needs of a log: stage any number of batches, then commit them
 * in one write. Confined to one thread (the pipeline's writer).
 */
public interface AppendTarget extends LogWriter {

  /**
   * Checks a batch against the log's state (sequences, epochs), gives it offsets, stamps it, and
   * keeps it for {@link #commit()}. Where the batch does not fit into the active segment, what was
   * staged before is committed and the segment rolls.
   *
   * @param batch validated; its buffer is borrowed until commit
   * @param nowMs wall clock, milliseconds since the epoch
   * @return {@code Appended} or {@code Duplicate}, to be told to the caller only after a commit
   *     that succeeded; or {@code Rejected} or {@code Failed}, where nothing was staged
   */
  AppendResult stage(ValidatedBatch batch, AppendOrigin origin, int leaderEpoch, long nowMs);

  /**
   * Writes what is staged, indexes it, remembers the producers, and publishes the new log end.
   *
   * @throws StorageException where the write failed; then none of the staged batches is readable,
   *     and the log is as before
   */
  void commit() throws StorageException;

  /** How the log gets on the disk; the same object each time, for use by any thread. */
  FlushTarget flushTarget();
}
