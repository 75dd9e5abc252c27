package io.weirmq.storage.internal.segment;

import io.weirmq.storage.StorageException;

/**
 * A segment that is held, and a walker to read it with, until this is closed. Confined to one
 * thread.
 */
public final class SegmentReading implements AutoCloseable {

  private final OpenSegment holder;
  private final BatchWalkers walkers;
  private final BatchWalker walker;

  private SegmentReading(OpenSegment holder, BatchWalkers walkers) {
    this.holder = holder;
    this.walkers = walkers;
    this.walker = walkers.take();
  }

  /**
   * Holds a segment.
   *
   * @throws StorageException where it can't be opened, or was removed
   */
  public static SegmentReading of(Segment segment) throws StorageException {
    return new SegmentReading(segment.retain(), segment.environment().walkers());
  }

  /** The segment, open. Borrowed. */
  public OpenSegment holder() {
    return holder;
  }

  /** A walker that has begun nowhere. Borrowed. */
  public BatchWalker walker() {
    return walker;
  }

  @Override
  public void close() {
    walkers.giveBack(walker);
    holder.release();
  }
}
