package io.weirmq.storage.internal.segment;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The transaction index of a segment, and what is known of it. Made when it is asked for; the
 * segment keeps what is known. Safe for use by several threads.
 */
public final class SegmentTransactions {

  private final Segment segment;

  SegmentTransactions(Segment segment) {
    this.segment = segment;
  }

  /** Whether the segment has a transaction index, as far as is known. */
  public boolean exists() {
    return segment.transactionState.exists();
  }

  /** Notes whether the segment has a transaction index; what is in the file is right. */
  public void onWritten(boolean exists) {
    segment.transactionState = exists ? TransactionIndexState.SOUND : TransactionIndexState.NONE;
  }

  /**
   * Notes what a start knows without a look into the file.
   *
   * @param named whether there is a file of that name
   * @param recorded what was remembered of it; null where nothing was
   */
  public void onFound(boolean named, @Nullable TransactionIndexRecord recorded) {
    segment.transactionState = TransactionIndexState.found(named, recorded);
  }

  /** Whether the transaction index was written or looked at since the log was opened. */
  public boolean isChecked() {
    return segment.transactionState.checked();
  }

  /**
   * Notes that the transaction index was found to be right.
   *
   * @throws StorageException where its size can't be read
   */
  public void markSound() throws StorageException {
    TransactionIndexRecord recorded = segment.transactionState.recorded();
    boolean told = recorded != null && index().hasEntries(recorded.entryCount());
    segment.transactionState =
        told ? new TransactionIndexState(true, true, recorded) : TransactionIndexState.SOUND;
  }

  /** Notes that the transaction index turned out not to be what it was. */
  public void doubt() {
    segment.transactionState = segment.transactionState.unchecked();
  }

  /** What was remembered of the transaction index, or worked out; null where nothing is known. */
  public @Nullable TransactionIndexRecord record() {
    return segment.transactionState.recorded();
  }

  /** Notes what is in the transaction index. Writer only. */
  public void record(TransactionIndexRecord record) {
    segment.transactionState = segment.transactionState.withRecorded(record);
  }

  /** The transaction index; its file exists where {@link #exists()}. */
  public TransactionIndex index() {
    return new TransactionIndex(segment.environment().files(), file());
  }

  /**
   * Puts a transaction index that was made anew in the place of what is there.
   *
   * @throws StorageException where the segment was removed, as its names may be those of another
   *     one now, or the disk refuses
   */
  public void replace(List<AbortedTransaction> aborted) throws StorageException {
    synchronized (segment) {
      if (segment.isRemoved()) {
        throw new StorageException(
            "segment " + segment.file(SegmentFileKind.LOG) + " was removed or its log is closed");
      }
      index().replace(aborted);
      onWritten(!aborted.isEmpty());
    }
  }

  /**
   * Removes a transaction index without entries, which nobody needs once the segment has its own
   * name durably.
   *
   * @throws StorageException where the file can't be removed
   */
  public void dropIfEmpty() throws StorageException {
    try {
      if (!exists()) {
        segment.environment().files().deleteIfExists(file());
      }
    } catch (IOException e) {
      throw new StorageException("%s can't be removed: %s".formatted(file(), e), e);
    }
  }

  private Path file() {
    return segment.file(SegmentFileKind.TRANSACTION_INDEX);
  }
}
