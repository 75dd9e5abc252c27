package io.weirmq.storage.internal.log;

import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.OffsetOutOfRangeException;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.BatchWalkers;
import io.weirmq.storage.internal.segment.Damage;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentEnd;
import io.weirmq.storage.internal.segment.SegmentLookup;
import io.weirmq.storage.internal.segment.SegmentSlice;
import io.weirmq.storage.internal.segment.SegmentVerifier;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the range of a segment file that answers a read. Safe for use by several threads.
 *
 * <p>In the usual case, a consumer at the tail, both ends of the range are known points and no byte
 * of the file is looked at. Otherwise the start is found by index and scan, and so is the end where
 * the limit lies inside the segment.
 */
final class SliceReader {

  private static final int UNKNOWN_SIZE = -1;

  private final LogState state;
  private final BatchWalkers walkers;

  SliceReader(LogState state) {
    this.state = state;
    this.walkers = state.identity().environment().walkers();
  }

  LogSlice read(long offset, int maxBytes, long limitOffset, boolean atLeastOneBatch)
      throws StorageException {
    while (true) {
      int cuts = state.cuts();
      LogSlice slice;
      try {
        slice = readOnce(offset, maxBytes, limitOffset, atLeastOneBatch);
      } catch (OffsetOutOfRangeException e) {
        throw e;
      } catch (StorageException e) {
        // A segment that was removed or cut under our hands is no failure of the disk.
        ensureInRange(offset);
        if (cuts != state.cuts()) {
          continue;
        }
        throw e;
      }
      if (cuts == state.cuts()) {
        return slice;
      }
      slice.release();
    }
  }

  private LogPoint ensureInRange(long offset) throws OffsetOutOfRangeException {
    LogPoint end = state.endAcquire();
    long start = state.logStartOffset();
    if (offset < start || offset > end.offset()) {
      throw new OffsetOutOfRangeException(
          state.identity().partition(), offset, start, end.offset());
    }
    return end;
  }

  private LogSlice readOnce(long offset, int maxBytes, long limitOffset, boolean atLeastOneBatch)
      throws StorageException {
    LogPoint end = ensureInRange(offset);
    KnownPoints knownPoints = state.knownPoints();
    long limit = Math.min(limitOffset, end.offset());
    if (offset >= limit) {
      return new EmptySlice(offset);
    }
    SegmentList segments = state.segments();
    if (segments.first().baseOffset() > offset) {
      ensureInRange(offset); // It was removed just now; the start is moved before that.
    }
    int index = segments.floorIndex(offset);
    LogPoint known = knownPoints.get(offset);
    BatchWalker walker = walkers.take();
    try {
      while (index < segments.size() && segments.get(index).baseOffset() < limit) {
        LogSlice slice =
            readIn(
                segments,
                index,
                new Request(offset, maxBytes, limit, atLeastOneBatch),
                known,
                walker,
                end);
        if (slice != null) {
          return slice;
        }
        index++;
      }
      return new EmptySlice(offset);
    } finally {
      walkers.giveBack(walker);
    }
  }

  private record Request(long offset, int maxBytes, long limit, boolean atLeastOneBatch) {}

  private @Nullable LogSlice readIn(
      SegmentList segments,
      int index,
      Request request,
      @Nullable LogPoint known,
      BatchWalker walker,
      LogPoint end)
      throws StorageException {
    Segment segment = segments.get(index);
    OpenSegment holder = segment.retain();
    boolean handedOver = false;
    try {
      int size = segment.sizeBytes();
      int from;
      long firstOffset;
      int firstBatchBytes = UNKNOWN_SIZE;
      if (known != null && known.segment() == segment && known.position() < size) {
        from = known.position();
        firstOffset = known.offset();
      } else if (seek(
          segment, holder, walker, request.offset(), size, state.endOf(segments, index))) {
        from = walker.position();
        firstOffset = walker.batch().baseOffset();
        firstBatchBytes = walker.batch().sizeInBytes();
      } else {
        return null;
      }
      int to = positionOfLimit(segments, index, holder, request.limit(), walker, end, size);
      if (from >= to) {
        return new EmptySlice(request.offset());
      }
      int length = Math.min(to - from, Math.max(0, request.maxBytes()));
      if (length < to - from && request.atLeastOneBatch()) {
        length =
            Math.max(
                length,
                firstBatchBytes != UNKNOWN_SIZE
                    ? firstBatchBytes
                    : sizeOfBatch(holder, from, to, walker));
      }
      length = presentLength(segment, holder, from, length);
      length = soundLength(segments, index, holder, from, length);
      handedOver = length > 0;
      return handedOver
          ? new SegmentSlice(holder, from, length, firstOffset)
          : new EmptySlice(request.offset());
    } finally {
      if (!handedOver) {
        holder.release();
      }
    }
  }

  /** Finds the batch with an offset; that it is damaged is told, not passed over. */
  private static boolean seek(
      Segment segment,
      OpenSegment holder,
      BatchWalker walker,
      long offset,
      int size,
      SegmentEnd known)
      throws StorageException {
    boolean found = SegmentLookup.seek(holder, walker, offset, size, known);
    if (!found || walker.batch().baseOffset() > offset) {
      // A gap in the offsets is nothing bad, unless it is where a damaged stretch ends.
      Damage damage = segment.damages().endingAt(walker.position());
      if (damage != null) {
        throw corrupt(holder, damage);
      }
    }
    return found;
  }

  private static CorruptSegmentException corrupt(OpenSegment holder, Damage damage) {
    return new CorruptSegmentException(holder.log().path(), damage.position(), damage.describe());
  }

  /** How much of a range is sound from its start on; what was appended by this process is. */
  private int soundLength(SegmentList segments, int index, OpenSegment holder, int from, int length)
      throws StorageException {
    if (from >= holder.soundFrom() || length == 0) {
      return length;
    }
    Segment segment = segments.get(index);
    int firstDamage =
        SegmentVerifier.firstDamage(holder, from, from + length, state.endOf(segments, index));
    if (firstDamage > from) {
      return Math.min(length, firstDamage - from);
    }
    for (Damage damage : segment.damages().all()) {
      if (damage.position() == from) {
        throw corrupt(holder, damage);
      }
    }
    throw new CorruptSegmentException(
        holder.log().path(), from, "the batch was found to be damaged");
  }

  /**
   * How much of a range is in the file. All of it, unless somebody else has shortened the file:
   * then sending would break off in the middle of an answer. The active segment is the writer's to
   * shorten, which has its own way of telling readers.
   */
  private static int presentLength(Segment segment, OpenSegment holder, int from, int length)
      throws StorageException {
    if (segment.isActive()) {
      return length;
    }
    try {
      long fileBytes = holder.log().size();
      if (fileBytes - from >= length) {
        return length;
      }
      if (!holdsBatch(holder, from, fileBytes)) {
        throw new StorageException(
            "%s has %d bytes, expected %d: what was behind is lost"
                .formatted(holder.log().path(), fileBytes, segment.sizeBytes()));
      }
      return (int) (fileBytes - from);
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException(
          "%s can't be read at position %d: %s".formatted(holder.log().path(), from, e), e);
    }
  }

  private static boolean holdsBatch(OpenSegment holder, int from, long fileBytes)
      throws IOException {
    if (fileBytes - from < RecordBatch.HEADER_BYTES) {
      return false;
    }
    ByteBuffer header = ByteBuffer.allocate(RecordBatch.HEADER_BYTES);
    holder.log().readFully(header, from);
    return RecordBatch.of(header.flip()).sizeInBytes() <= fileBytes - from;
  }

  private static int sizeOfBatch(OpenSegment holder, int from, int to, BatchWalker walker)
      throws StorageException {
    walker.begin(holder, from, to);
    return walker.next() ? walker.batch().sizeInBytes() : 0;
  }

  /** Where in a segment the first batch starts that holds the limit or lies behind it. */
  private int positionOfLimit(
      SegmentList segments,
      int index,
      OpenSegment holder,
      long limit,
      BatchWalker walker,
      LogPoint end,
      int size)
      throws StorageException {
    Segment segment = segments.get(index);
    if (limit >= segments.nextBaseOffset(index)) {
      return size;
    }
    int known = knownPosition(segment, limit, end);
    if (known != LogPoint.UNKNOWN) {
      return Math.min(known, size);
    }
    SegmentLookup.seek(holder, walker, limit, size, state.endOf(segments, index));
    // Where the limit itself is in a damaged stretch, what can be read ends before that.
    Damage damage = segment.damages().endingAt(walker.position());
    return damage == null ? walker.position() : damage.position();
  }

  private int knownPosition(Segment segment, long limit, LogPoint end) {
    if (end.offset() == limit && end.segment() == segment) {
      return end.position();
    }
    LogPoint highWatermark = state.highWatermarkAcquire();
    if (highWatermark.offset() == limit && highWatermark.segment() == segment) {
      return highWatermark.position();
    }
    LogPoint known = state.knownPoints().get(limit);
    return known != null && known.segment() == segment ? known.position() : LogPoint.UNKNOWN;
  }
}
