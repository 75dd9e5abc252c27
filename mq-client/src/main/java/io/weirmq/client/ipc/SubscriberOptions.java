package io.weirmq.client.ipc;

import java.time.Duration;
import java.util.Optional;

/**
 * How a subscriber reads and waits. Immutable; start from {@link #defaults()}.
 *
 * @param readCommitted whether records of undecided and aborted transactions are left out
 * @param group under whose name {@link IpcSubscriber#commit} stores the position, if any
 * @param outOfRange what to do where the position lies before the first or behind the last record
 * @param checkCrcs whether the checksum of each batch is computed; some per cent of the time
 * @param readBytes how much is read from the log at once, in bytes; best what fits into the cache
 *     of a core beside the rest
 * @param batchBytesMax largest batch that is accepted, in bytes; memory for it is taken when one
 *     comes
 * @param decompressedBytesMax largest batch that is accepted once it is decompressed, in bytes
 * @param spin how long {@link IpcSubscriber#poll(RecordHandler, int, Duration)} keeps a core busy
 *     before it lets other threads run
 * @param yield how long it lets other threads run between looks before it sleeps
 */
public record SubscriberOptions(
    boolean readCommitted,
    Optional<String> group,
    OutOfRange outOfRange,
    boolean checkCrcs,
    int readBytes,
    int batchBytesMax,
    long decompressedBytesMax,
    Duration spin,
    Duration yield) {

  /** What to do where there is no record at the position any more. */
  public enum OutOfRange {
    /** Fail: records may have been missed. */
    FAIL,
    /** Go on with the first record. */
    EARLIEST,
    /** Go on behind the last record. */
    LATEST
  }

  /** Checks the values. */
  public SubscriberOptions {
    if (readBytes < 4096) {
      throw new IllegalArgumentException("readBytes is " + readBytes + ", expected at least 4096");
    }
    if (batchBytesMax < readBytes) {
      throw new IllegalArgumentException(
          "batchBytesMax is %d, expected at least readBytes, %d"
              .formatted(batchBytesMax, readBytes));
    }
    if (decompressedBytesMax < 1 || spin.isNegative() || yield.isNegative()) {
      throw new IllegalArgumentException(
          "decompressedBytesMax %d, spin %s or yield %s is too small"
              .formatted(decompressedBytesMax, spin, yield));
    }
  }

  /**
   * Returns the defaults: all records, checksums checked, 128 KiB at once, batches up to 64 MiB
   * (128 MiB decompressed), 10 µs of spinning and 200 µs of yielding before a sleep.
   */
  public static SubscriberOptions defaults() {
    return new SubscriberOptions(
        false,
        Optional.empty(),
        OutOfRange.FAIL,
        true,
        128 * 1024,
        64 * 1024 * 1024,
        128L * 1024 * 1024,
        Duration.ofNanos(10_000),
        Duration.ofNanos(200_000));
  }

  /** Returns these options with or without undecided transactions. */
  public SubscriberOptions withReadCommitted(boolean only) {
    return new SubscriberOptions(
        only,
        group,
        outOfRange,
        checkCrcs,
        readBytes,
        batchBytesMax,
        decompressedBytesMax,
        spin,
        yield);
  }

  /** Returns these options with a group. */
  public SubscriberOptions withGroup(String name) {
    return new SubscriberOptions(
        readCommitted,
        Optional.of(name),
        outOfRange,
        checkCrcs,
        readBytes,
        batchBytesMax,
        decompressedBytesMax,
        spin,
        yield);
  }

  /** Returns these options with another way out of range. */
  public SubscriberOptions withOutOfRange(OutOfRange policy) {
    return new SubscriberOptions(
        readCommitted,
        group,
        policy,
        checkCrcs,
        readBytes,
        batchBytesMax,
        decompressedBytesMax,
        spin,
        yield);
  }

  /** Returns these options with or without a look at checksums. */
  public SubscriberOptions withCheckCrcs(boolean check) {
    return new SubscriberOptions(
        readCommitted,
        group,
        outOfRange,
        check,
        readBytes,
        batchBytesMax,
        decompressedBytesMax,
        spin,
        yield);
  }

  /** Returns these options with other sizes, in bytes. */
  public SubscriberOptions withSizes(int read, int batchMax, long decompressedMax) {
    return new SubscriberOptions(
        readCommitted, group, outOfRange, checkCrcs, read, batchMax, decompressedMax, spin, yield);
  }

  /** Returns these options with other times before a sleep. */
  public SubscriberOptions withWaiting(Duration newSpin, Duration newYield) {
    return new SubscriberOptions(
        readCommitted,
        group,
        outOfRange,
        checkCrcs,
        readBytes,
        batchBytesMax,
        decompressedBytesMax,
        newSpin,
        newYield);
  }
}
