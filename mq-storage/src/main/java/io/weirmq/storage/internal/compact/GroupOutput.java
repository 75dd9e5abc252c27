package io.weirmq.storage.internal.compact;

import io.weirmq.index.OffsetIndex;
import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.log.LogIdentity;
import io.weirmq.storage.internal.segment.CleanedSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What takes the place of a group of segments: one segment, or more where a batch would make it too
 * large, an index of it too full, or its offsets too far apart. The first one has the name of the
 * group's first segment and exists also where nothing stays. Confined to one thread.
 */
final class GroupOutput {

  private final LogIdentity identity;
  private final LogConfig config;
  private final ByteBuffer buffer;
  private final IoBudget budget;
  private final List<CleanedSegment> segments = new ArrayList<>();
  private final List<Segment> offered = new ArrayList<>();
  private CleanedSegment current;
  private long nextOffset;

  /**
   * Begins the output.
   *
   * @param buffer what is written is collected in it; borrowed until {@link #finish}
   * @throws StorageException where a file can't be made
   */
  GroupOutput(
      LogIdentity identity, LogConfig config, long baseOffset, ByteBuffer buffer, IoBudget budget)
      throws StorageException {
    this.identity = identity;
    this.config = config;
    this.buffer = buffer.clear();
    this.budget = budget;
    this.current = begin(baseOffset);
    this.nextOffset = baseOffset;
  }

  private CleanedSegment begin(long baseOffset) throws StorageException {
    CleanedSegment segment =
        CleanedSegment.create(
            identity.environment(), identity.folder(), baseOffset, config.indexIntervalBytes());
    segments.add(segment);
    return segment;
  }

  /**
   * Adds a batch.
   *
   * @param source holds it from the position on; left as it is
   * @throws StorageException where the disk refuses
   */
  void add(RecordBatch batch, ByteBuffer source, int position) throws StorageException {
    int size = batch.sizeInBytes();
    if (!current.hasRoom(
        size, batch.lastOffset(), config.segmentBytes(), config.segmentIndexBytes())) {
      drain();
      current = begin(nextBaseOffset(batch));
    }
    nextOffset = batch.nextOffset();
    current.add(batch.lastOffset(), batch.maxRecordTimestamp(), size);
    if (size > buffer.remaining()) {
      drain();
    }
    if (size > buffer.remaining()) {
      budget.write(size);
      current.write(source.duplicate().limit(position + size).position(position));
    } else {
      buffer.put(source.duplicate().limit(position + size).position(position));
    }
  }

  /** Where the last segment ends, so that there is no gap, unless it is too wide. */
  private long nextBaseOffset(RecordBatch batch) {
    return OffsetIndex.fits(nextOffset, batch.lastOffset()) ? nextOffset : batch.baseOffset();
  }

  /** Adds an aborted transaction whose marker was the last batch added. */
  void add(AbortedTransaction transaction) {
    current.add(transaction);
  }

  private void drain() throws StorageException {
    buffer.flip();
    if (buffer.hasRemaining()) {
      budget.write(buffer.remaining());
      current.write(buffer);
    }
    buffer.clear();
  }

  /**
   * Puts the output on the disk and lets a restart put it in place.
   *
   * @return the segments in their order
   * @throws StorageException where the disk refuses
   */
  List<Segment> finish() throws StorageException {
    drain();
    for (CleanedSegment segment : segments) {
      segment.finish();
    }
    // Backwards: a restart that finds a part of it under the first suffix drops all behind that.
    for (int i = segments.size() - 1; i >= 0; i--) {
      offered.add(0, segments.get(i).offer());
    }
    return offered;
  }

  /** Removes what was written so far, after the run was given up; failures are added to its. */
  void discard(Exception cause) {
    try {
      for (Segment segment : offered) {
        segment.close();
      }
      segments.get(0).withdraw();
      for (int i = segments.size() - 1; i >= 0; i--) {
        segments.get(i).discard();
      }
    } catch (StorageException e) {
      // The next run, or a restart, removes them.
      cause.addSuppressed(e);
    }
  }
}
