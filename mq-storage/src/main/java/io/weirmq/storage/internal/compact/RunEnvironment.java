package io.weirmq.storage.internal.compact;

import io.weirmq.storage.CleanerOptions;
import io.weirmq.storage.CleanerPause;
import io.weirmq.storage.compress.BufferPool;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * What all runs of a cleaner share. Immutable; the parts are safe for use by several threads.
 *
 * @param options what one run may use
 * @param nanoClock monotonic clock, nanoseconds
 * @param pause lets time pass
 * @param random secrets of the hash of keys
 * @param throttle bound of bytes per second
 * @param pool working memory of codecs
 * @param bytesRead counts what runs read
 * @param bytesWritten counts what runs write
 */
public record RunEnvironment(
    CleanerOptions options,
    LongSupplier nanoClock,
    CleanerPause pause,
    LongSupplier random,
    Throttle throttle,
    BufferPool pool,
    LongAdder bytesRead,
    LongAdder bytesWritten) {

  /** Makes what runs share. */
  public static RunEnvironment of(
      CleanerOptions options, LongSupplier nanoClock, CleanerPause pause, LongSupplier random) {
    return new RunEnvironment(
        options,
        nanoClock,
        pause,
        random,
        new Throttle(options.bytesPerSecondMax(), nanoClock, pause),
        new BufferPool(),
        new LongAdder(),
        new LongAdder());
  }
}
