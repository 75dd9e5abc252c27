package io.weirmq.storage;

/**
 * Settings of an append pipeline. Immutable; start from {@link #defaults(String)}.
 *
 * @param name names the pipeline in messages, and is meant to name its thread
 * @param ringSize appends and tasks that may wait for the writer; a power of two, 2 to 2^20. Each
 *     waiting append holds its caller's buffer
 * @param waitStrategy how the writer waits for work
 * @param stagedBytesMax bytes of batches after which the writer commits although more are waiting,
 *     1 or more; bounds how long the first of them waits for its answer
 * @param flushThreadsMax threads that put logs on the disk, made on demand, 1 or more: as many logs
 *     are forced at the same time
 * @param parkedMax appends per log that may be written and wait for the disk, 1 or more; those that
 *     are in the ring by then come on top. At the limit the log takes no more, others go on
 */
public record PipelineOptions(
    String name,
    int ringSize,
    WaitStrategyKind waitStrategy,
    int stagedBytesMax,
    int flushThreadsMax,
    int parkedMax) {

  /** Ring size by default. */
  public static final int RING_SIZE_DEFAULT = 1024;

  /** Staged bytes by default: about a millisecond of writing. */
  public static final int STAGED_BYTES_MAX_DEFAULT = 4 * 1024 * 1024;

  /** Flush threads by default. */
  public static final int FLUSH_THREADS_MAX_DEFAULT = 4;

  /** Parked appends per log by default. */
  public static final int PARKED_MAX_DEFAULT = 1024;

  private static final int RING_SIZE_MAX = 1 << 20;

  /** Checks the settings. */
  public PipelineOptions {
    if (ringSize < 2 || ringSize > RING_SIZE_MAX || Integer.bitCount(ringSize) != 1) {
      throw new IllegalArgumentException(
          "ringSize is %d; expected a power of two, 2 to %d".formatted(ringSize, RING_SIZE_MAX));
    }
    if (stagedBytesMax < 1) {
      throw new IllegalArgumentException(
          "stagedBytesMax is %d; expected 1 or more".formatted(stagedBytesMax));
    }
    if (flushThreadsMax < 1 || parkedMax < 1) {
      throw new IllegalArgumentException(
          "flushThreadsMax is %d, parkedMax %d; expected 1 or more"
              .formatted(flushThreadsMax, parkedMax));
    }
  }

  /** Returns the defaults: 1024 events, a blocking writer. */
  public static PipelineOptions defaults(String name) {
    return new PipelineOptions(
        name,
        RING_SIZE_DEFAULT,
        WaitStrategyKind.BLOCKING,
        STAGED_BYTES_MAX_DEFAULT,
        FLUSH_THREADS_MAX_DEFAULT,
        PARKED_MAX_DEFAULT);
  }

  /** Returns these settings with another ring size. */
  public PipelineOptions withRingSize(int size) {
    return new PipelineOptions(
        name, size, waitStrategy, stagedBytesMax, flushThreadsMax, parkedMax);
  }

  /** Returns these settings with another wait strategy. */
  public PipelineOptions withWaitStrategy(WaitStrategyKind kind) {
    return new PipelineOptions(name, ringSize, kind, stagedBytesMax, flushThreadsMax, parkedMax);
  }

  /** Returns these settings with another bound of staged bytes. */
  public PipelineOptions withStagedBytesMax(int bytes) {
    return new PipelineOptions(name, ringSize, waitStrategy, bytes, flushThreadsMax, parkedMax);
  }

  /** Returns these settings with other bounds of what waits for the disk. */
  public PipelineOptions withFlushing(int threadsMax, int parkedAppendsMax) {
    return new PipelineOptions(
        name, ringSize, waitStrategy, stagedBytesMax, threadsMax, parkedAppendsMax);
  }
}
