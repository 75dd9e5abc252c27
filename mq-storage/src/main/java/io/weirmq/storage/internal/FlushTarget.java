package io.weirmq.storage.internal;

import io.weirmq.storage.StorageException;

/**
 * How a log gets on the disk, beside its writer.
 *
 * <p>The pipeline's writer asks what is to be done, any other thread does it, and then the writer
 * looks at what has become settled. Safe for use by several threads; flushes of one log exclude
 * each other.
 */
public interface FlushTarget {

  /** What is to be put on the disk, each including the one before. */
  enum Demand {
    /** Nothing. */
    NONE,
    /** The segments that are not written any more, so that a restart need not read them. */
    SEALED,
    /** All batches, and a checkpoint inside the segment that is written. */
    CHECKPOINT,
    /** All batches up to the log end. */
    ALL,
    /** What is derived from the active segment too, of a log that gets no appends. */
    REST
  }

  /**
   * Tells what the log wants now. A log that has failed wants nothing. Writer only.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  Demand demand(long nowMs);

  /**
   * The offset below which the log is as durable as its flush policy asks for: the log end where
   * that asks for nothing, otherwise at most {@code flush.messages} - 1 above what is on the disk.
   * An append is answered once this has passed its last record.
   */
  long settledOffset();

  /** How often the log was cut; what was to be settled before a cut may be gone. */
  int generation();

  /**
   * Puts batches on the disk. Blocks for as long as the disk takes.
   *
   * @param reach not {@code NONE}
   * @throws StorageException where the disk refuses; then nothing more counts as settled, now and
   *     later
   */
  void flush(Demand reach) throws StorageException;
}
