package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import java.io.IOException;
import java.nio.file.Path;

/** The time that a segment's age counts from, see {@link SegmentRemoval}. */
final class SegmentAge {

  private SegmentAge() {}

  static long fromMs(LogState state, Segment segment, long nowMs) throws StorageException {
    long largest = segment.largestTimestamp().timestampMs();
    if (Timestamps.isBelievable(largest, nowMs)) {
      return largest;
    }
    Path file = segment.file(SegmentFileKind.LOG);
    try {
      return state.identity().environment().files().lastModifiedMs(file);
    } catch (IOException e) {
      throw new StorageException("age of %s can't be read: %s".formatted(file, e), e);
    }
  }
}
