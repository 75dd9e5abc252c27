package io.weirmq.storage.internal.segment;

import io.weirmq.index.OffsetIndex;
import io.weirmq.index.PageBudget;
import io.weirmq.index.TimeIndex;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.file.Path;

/** The two open indexes of a segment. Single writer, many readers. */
public final class SegmentIndexes implements AutoCloseable {

  private final OffsetIndex offsets;
  private final TimeIndex times;

  private SegmentIndexes(OffsetIndex offsets, TimeIndex times) {
    this.offsets = offsets;
    this.times = times;
  }

  /** Opens both files; they are made where they don't exist. */
  static SegmentIndexes open(
      LogFileSystem files, PageBudget pages, Path offsetFile, Path timeFile, long baseOffset)
      throws IOException {
    OffsetIndex offsets = openOffsets(files, pages, offsetFile, baseOffset);
    try {
      return new SegmentIndexes(offsets, openTimes(files, pages, timeFile, baseOffset));
    } catch (IOException e) {
      closeAfter(e, offsets);
      throw e;
    }
  }

  /** Makes empty indexes on the heap, for a disk that has no room for them. */
  static SegmentIndexes onHeap(String name, long baseOffset) throws IOException {
    return new SegmentIndexes(
        OffsetIndex.open(new HeapIndexFile(name + " (offsets, on the heap)"), baseOffset),
        TimeIndex.open(new HeapIndexFile(name + " (times, on the heap)"), baseOffset));
  }

  private static OffsetIndex openOffsets(
      LogFileSystem files, PageBudget pages, Path file, long baseOffset) throws IOException {
    LogIndexFile opened = new LogIndexFile(files.open(file, OpenMode.READ_WRITE));
    try {
      return OffsetIndex.open(opened, baseOffset, pages);
    } catch (IOException e) {
      closeAfter(e, opened);
      throw e;
    }
  }

  private static TimeIndex openTimes(
      LogFileSystem files, PageBudget pages, Path file, long baseOffset) throws IOException {
    LogIndexFile opened = new LogIndexFile(files.open(file, OpenMode.READ_WRITE));
    try {
      return TimeIndex.open(opened, baseOffset, pages);
    } catch (IOException e) {
      closeAfter(e, opened);
      throw e;
    }
  }

  private static void closeAfter(IOException cause, AutoCloseable opened) {
    try {
      opened.close();
    } catch (Exception e) {
      cause.addSuppressed(e);
    }
  }

  /** The offset index. */
  public OffsetIndex offsets() {
    return offsets;
  }

  /** The time index. */
  public TimeIndex times() {
    return times;
  }

  /** Writes what is on the heap to the files. */
  void flush() throws IOException {
    offsets.flush();
    times.flush();
  }

  /** Writes what is on the heap and cuts off whatever lies behind the last entries. */
  void trim() throws IOException {
    offsets.trim();
    times.trim();
  }

  /** Makes both files durable. */
  void force() throws IOException {
    offsets.force();
    times.force();
  }

  @Override
  public void close() throws IOException {
    try {
      offsets.close();
    } catch (IOException e) {
      closeAfter(e, times);
      throw e;
    }
    times.close();
  }
}
