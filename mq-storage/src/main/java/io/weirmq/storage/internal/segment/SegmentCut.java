package io.weirmq.storage.internal.segment;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shortens segments. Called by the log's writer, or by recovery. */
public final class SegmentCut {

  private SegmentCut() {}

  /**
   * Shortens an active segment. Where somebody holds the file it is not shortened under them: the
   * segment goes on in a copy of what is kept.
   *
   * @param position where a batch starts, or the end
   * @param endOffset offset that the next record gets
   * @throws StorageException where the files can't be shortened or copied
   */
  public static void at(Segment segment, int position, long endOffset) throws StorageException {
    segment.publishSize(position);
    @Nullable OpenSegment current;
    synchronized (segment) {
      current = segment.takeOffer();
      shorten(segment, current, position, endOffset);
    }
    if (current != null) {
      segment.environment().openSegments().forget(current);
    }
    if (segment.transactions().exists()) {
      segment.transactions().onWritten(segment.transactions().index().truncateTo(endOffset));
    }
  }

  private static void shorten(
      Segment segment, @Nullable OpenSegment current, int position, long endOffset)
      throws StorageException {
    boolean held = current != null && !current.tryRetire();
    boolean stale = false;
    try {
      if (current != null) {
        flushIndexes(current);
      }
      if (held) {
        shortening(segment).byCopy(position);
      } else {
        if (current != null) {
          current.closeFiles();
        }
        shortening(segment).inPlace(position);
      }
      stale = !segment.indexFiles().cut(endOffset);
    } catch (IOException e) {
      throw failure(segment, position, e);
    } finally {
      segment.onCut(stale);
      if (held && current != null) {
        current.release();
      }
    }
  }

  /**
   * Shortens the segment to the batches that recovery found valid, and makes its indexes anew.
   * Nobody else may hold it.
   *
   * @param aborted the entries of its transaction index
   * @throws StorageException where the files can't be shortened or written
   */
  public static void recovered(Segment segment, int position, List<AbortedTransaction> aborted)
      throws StorageException {
    segment.publishSize(position);
    segment.detach();
    segment.onCut(false);
    try {
      shortening(segment).inPlace(position);
      segment.indexFiles().delete();
      segment.environment().files().deleteIfExists(transactionFile(segment));
    } catch (IOException e) {
      throw failure(segment, position, e);
    }
    // On a full disk the room of the old files goes to this one first: right answers need it.
    if (!aborted.isEmpty()) {
      segment.transactions().index().append(aborted);
    }
    segment.transactions().onWritten(!aborted.isEmpty());
    OpenSegment holder = segment.retain();
    try {
      holder.indexes();
    } finally {
      holder.release();
    }
  }

  /**
   * Shortens the segment to the batches that a recovery which began inside of it found valid. What
   * is derived from the batches in front of that point stays, what lies behind is made anew. Nobody
   * else may hold it.
   *
   * @param from position at which recovery began
   * @param fromOffset offset that the record there has or gets
   * @param mark where the indexes end; they were cut there, see {@link #indexesTo}
   * @param abortedCount entries of the transaction index in front of that position
   * @param aborted the entries behind it
   * @throws StorageException where the files can't be shortened or written
   */
  public static void recoveredBehind(
      Segment segment,
      int from,
      long fromOffset,
      IndexMark mark,
      int abortedCount,
      int position,
      List<AbortedTransaction> aborted)
      throws StorageException {
    segment.publishSize(position);
    segment.detach();
    segment.onCut(false);
    try {
      shortening(segment).inPlace(position);
    } catch (IOException e) {
      throw failure(segment, position, e);
    }
    TransactionIndex transactions = segment.transactions().index();
    transactions.truncateToCount(abortedCount);
    if (!aborted.isEmpty()) {
      transactions.append(aborted);
    }
    segment.transactions().onWritten(abortedCount + aborted.size() > 0);
    OpenSegment holder = segment.retain();
    try {
      SegmentRepair.extend(segment, holder, mark, from, fromOffset);
    } finally {
      holder.release();
    }
  }

  /**
   * Cuts the index files of a segment that nobody uses to the entries of a mark, durably.
   *
   * @return false where they don't end there as the mark says, and have to be made anew
   * @throws StorageException where they can't be read or cut
   */
  public static boolean indexesTo(Segment segment, IndexMark mark) throws StorageException {
    segment.detach();
    try {
      return segment.indexFiles().cutTo(mark);
    } catch (IOException e) {
      throw new StorageException("indexes of %s can't be cut: %s".formatted(segment, e), e);
    }
  }

  private static Path transactionFile(Segment segment) {
    return segment.file(SegmentFileKind.TRANSACTION_INDEX);
  }

  private static void flushIndexes(OpenSegment current) throws IOException {
    SegmentIndexes indexes = current.indexesIfOpen();
    if (indexes != null) {
      indexes.flush();
    }
  }

  private static LogFileShortening shortening(Segment segment) {
    return new LogFileShortening(segment.environment().files(), segment.file(SegmentFileKind.LOG));
  }

  private static StorageException failure(Segment segment, int position, IOException cause) {
    return new StorageException(
        "%s can't be cut to position %d: %s"
            .formatted(segment.file(SegmentFileKind.LOG), position, cause),
        cause);
  }
}
