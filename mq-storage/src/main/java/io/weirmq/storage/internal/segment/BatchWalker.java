package io.weirmq.storage.internal.segment;

import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the batch headers of a log file, forwards from the start of a batch.
 *
 * <pre>
 *   walker.begin(file, position, end);
 *   while (walker.next()) {
 *     walker.batch().lastOffset() ... walker.position()
 *   }
 * </pre>
 *
 * <p>Small batches are read many at a time, of large ones only the headers. A walk begins with a
 * small read, for most end at the batch that an index pointed to or the next one, and what they
 * cost is the cold memory that they touch. Confined to one thread; taken from {@link BatchWalkers}.
 */
public final class BatchWalker {

  /** Bytes read at a time where batches are small: what an index entry leaves to be scanned. */
  private static final int WINDOW_BYTES = 4096;

  /** Bytes of the first read; each further one is twice as large, up to the window. */
  private static final int FIRST_READ_BYTES = 512;

  /** Batches above this size are read header by header. */
  private static final int SMALL_BATCH_BYTES = 1024;

  private final ByteBuffer window = ByteBuffer.allocateDirect(WINDOW_BYTES);
  private final RecordBatch batch = new RecordBatch();

  private @Nullable BatchChecksum checksum;
  private @Nullable LogFile file;
  private @Nullable OpenSegment holder;
  private long expectedOffset;
  private long nextOffset;
  private int windowPosition;
  private int position;
  private int nextPosition;
  private int end;
  private int readBytes = FIRST_READ_BYTES;

  BatchWalker() {}

  /**
   * Starts anew.
   *
   * @param logFile borrowed until the next call
   * @param from position of a batch
   * @param endPosition position behind the last byte to look at
   */
  public void begin(LogFile logFile, int from, int endPosition) {
    holder = null;
    file = logFile;
    window.position(0).limit(0);
    windowPosition = from;
    position = from;
    nextPosition = from;
    end = endPosition;
    readBytes = FIRST_READ_BYTES;
    // A walker comes from a pool: what it expected elsewhere says nothing here.
    expectedOffset = SegmentVerifier.UNKNOWN;
    nextOffset = SegmentVerifier.UNKNOWN;
  }

  /**
   * Starts anew in a segment. Stretches that are damaged are passed over; whoever must not miss one
   * asks the segment for it afterwards.
   *
   * @param segment open; borrowed until the next call
   */
  public void begin(OpenSegment segment, int from, int endPosition) {
    begin(segment.log(), from, endPosition);
    holder = segment;
    nextOffset = from == 0 ? segment.owner().baseOffset() : SegmentVerifier.UNKNOWN;
  }

  /**
   * Moves to the next batch.
   *
   * @return false at the end
   * @throws CorruptSegmentException where no batch of the format starts there, or it passes the
   *     end, and the walk is not one through a segment
   * @throws StorageException where the file can't be read
   */
  public boolean next() throws StorageException {
    while (nextPosition < end) {
      position = nextPosition;
      Damage known = damageHere();
      String problem = known == null ? load() : known.problem();
      if (problem == null) {
        nextPosition = position + batch.sizeInBytes();
        expectedOffset = nextOffset;
        nextOffset = batch.nextOffset();
        return true;
      }
      if (known == null) {
        known = examine(problem);
      }
      nextPosition = known.endPosition();
    }
    position = end;
    return false;
  }

  private @Nullable Damage damageHere() {
    OpenSegment current = holder;
    return current == null ? null : current.owner().damages().startingAt(position);
  }

  private Damage examine(String problem) throws StorageException {
    OpenSegment current = holder;
    if (current != null) {
      SegmentVerifier.examine(current, position, nextOffset);
      Damage found = current.owner().damages().startingAt(position);
      if (found != null) {
        return found;
      }
    }
    throw new CorruptSegmentException(currentFile().path(), position, problem);
  }

  /**
   * Checks the present batch of a segment whole, where that was not done before. One that is not
   * sound is passed over by the next move.
   *
   * @return whether it is sound
   */
  public boolean isSound() throws StorageException {
    OpenSegment current = holder;
    if (current == null) {
      throw new IllegalStateException("the walk is not one through a segment");
    }
    SegmentVerifier.examine(current, position, expectedOffset);
    Damage found = current.owner().damages().startingAt(position);
    if (found != null) {
      nextPosition = found.endPosition();
    }
    return found == null;
  }

  /** Moves to the next batch; returns what is wrong where there is none, the end included. */
  @Nullable String nextOrProblem() throws StorageException {
    if (nextPosition >= end) {
      return "the end of the segment is at position %d".formatted(end);
    }
    position = nextPosition;
    String problem = load();
    if (problem == null) {
      nextPosition = position + batch.sizeInBytes();
    }
    return problem;
  }

  /** Shows the header behind the present batch, whose own is not seen any more. */
  boolean peek() throws StorageException {
    if (nextPosition >= end) {
      return false;
    }
    int present = position;
    position = nextPosition;
    boolean header = load() == null;
    position = present;
    return header;
  }

  /** The header that {@link #peek} found. */
  RecordBatch peeked() {
    return batch;
  }

  /** A checksum over a file that goes with this walker. */
  BatchChecksum checksum(LogFile logFile) {
    BatchChecksum current = checksum;
    if (current == null) {
      current = new BatchChecksum(logFile);
      checksum = current;
    } else {
      current.begin(logFile);
    }
    return current;
  }

  /** As {@link #next}, but bytes that are no batch end the walk too. */
  public boolean tryNext() throws StorageException {
    if (nextPosition < 0 || nextPosition >= end) {
      return false;
    }
    position = nextPosition;
    if (load() != null) {
      return false;
    }
    nextPosition = position + batch.sizeInBytes();
    expectedOffset = nextOffset;
    nextOffset = batch.nextOffset();
    return true;
  }

  /** The header of the present batch; valid until the walker moves. */
  public RecordBatch batch() {
    return batch;
  }

  /**
   * Reads the present batch whole.
   *
   * @return a view of it in a buffer of its own
   * @throws StorageException where the file can't be read
   */
  public RecordBatch readWhole() throws StorageException {
    ByteBuffer whole = ByteBuffer.allocate(batch.sizeInBytes());
    try {
      currentFile().readFully(whole, position);
    } catch (IOException e) {
      throw new StorageException(
          "%s can't be read at position %d: %s".formatted(currentFile().path(), position, e), e);
    }
    return RecordBatch.at(whole.flip(), 0);
  }

  /** Position of the present batch; the end where there is none. */
  public int position() {
    return position;
  }

  /** Position behind the present batch. */
  public int nextPosition() {
    return nextPosition;
  }

  private @Nullable String load() throws StorageException {
    int available = end - position;
    if (available < RecordBatch.HEADER_BYTES) {
      return "%d bytes are left, fewer than the %d of a batch header"
          .formatted(available, RecordBatch.HEADER_BYTES);
    }
    int inWindow = position - windowPosition;
    if (inWindow > window.limit() - RecordBatch.HEADER_BYTES) {
      fill(available);
      inWindow = 0;
    }
    batch.wrap(window, inWindow);
    int size = batch.sizeInBytes();
    if (size < RecordBatch.HEADER_BYTES || size > available) {
      return "batch claims %d bytes; expected %d to %d"
          .formatted(size, RecordBatch.HEADER_BYTES, available);
    }
    if (batch.magic() != RecordBatch.MAGIC_V2) {
      return "magic is %d; expected %d".formatted(batch.magic(), RecordBatch.MAGIC_V2);
    }
    if (batch.baseOffset() < 0 || batch.lastOffsetDelta() < 0) {
      return "base offset is %d and last offset delta %d; expected 0 or more"
          .formatted(batch.baseOffset(), batch.lastOffsetDelta());
    }
    return null;
  }

  private void fill(int available) throws StorageException {
    boolean large = window.limit() > 0 && position - windowPosition > SMALL_BATCH_BYTES;
    int length = large ? RecordBatch.HEADER_BYTES : Math.min(available, readBytes);
    readBytes = Math.min(WINDOW_BYTES, readBytes * 2);
    windowPosition = position;
    window.position(0).limit(length);
    try {
      currentFile().readFully(window, position);
    } catch (IOException e) {
      window.limit(0);
      throw new StorageException(
          "%s can't be read at position %d: %s".formatted(currentFile().path(), position, e), e);
    }
  }

  private LogFile currentFile() {
    LogFile current = file;
    if (current == null) {
      throw new IllegalStateException("the walker has not begun");
    }
    return current;
  }
}
