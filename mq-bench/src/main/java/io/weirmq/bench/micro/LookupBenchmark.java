package io.weirmq.bench.micro;

import static java.util.Objects.requireNonNull;

import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TimestampedOffset;
import io.weirmq.storage.WaitStrategyKind;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Looking up random offsets and times: whether the cost grows with the size of a segment. All of
 * the log is in the page cache.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
    value = 3,
    jvmArgs = {"-Xms512m", "-Xmx512m"})
public class LookupBenchmark {

  private static final int MIB = 1024 * 1024;
  private static final int BATCH_BYTES = 4 * 1024;
  private static final int IN_FLIGHT = 64;
  private static final int FETCH_BYTES = 16 * 1024;

  /**
   * Number of segments and their size in MiB. One of 16 MiB fits into the processor's cache and one
   * of 1,024 does not, whatever the lookup does; 64 of 16 show how much of the difference that is.
   */
  @Param({"1x16", "64x16", "1x1024"})
  public String segments = "1x16";

  private final SplittableRandom random = new SplittableRandom(7);
  private @Nullable BenchLog benchLog;
  private long endOffset;
  private long firstMs;
  private int batches;

  /** Made by JMH. */
  public LookupBenchmark() {}

  /** Fills the segment with batches a millisecond apart. */
  @Setup
  public void fill() throws IOException, InterruptedException {
    int count = Integer.parseInt(segments.substring(0, segments.indexOf('x')));
    int segmentMiB = Integer.parseInt(segments.substring(segments.indexOf('x') + 1));
    LogConfig config = new LogConfig.Builder().segmentBytes(segmentMiB * MIB).build();
    BenchLog log = new BenchLog(config, WaitStrategyKind.BLOCKING);
    benchLog = log;
    batches = count * (segmentMiB * MIB / BATCH_BYTES);
    firstMs = System.currentTimeMillis() - batches;
    for (int i = 0; i < batches; i++) {
      InFlight one = new InFlight(batchAt(firstMs + i), 1);
      one.append(log.appender());
      if (i % IN_FLIGHT == IN_FLIGHT - 1 || i == batches - 1) {
        one.await();
      }
    }
    endOffset = log.log().logEndOffset();
    if (log.log().segmentCount() != count) {
      throw new IllegalStateException(
          "%d segments; expected %d".formatted(log.log().segmentCount(), count));
    }
  }

  private static ByteBuffer batchAt(long timestampMs) {
    byte[] value = new byte[BATCH_BYTES - 100];
    return new RecordBatchBuilder().append(timestampMs, null, ByteBuffer.wrap(value)).build();
  }

  /** Removes the log. */
  @TearDown
  public void remove() throws IOException {
    requireNonNull(benchLog).close();
  }

  /** Finds the range of the file that begins at a random offset. */
  @Benchmark
  public long byOffset() throws StorageException {
    LogSlice slice =
        requireNonNull(benchLog)
            .log()
            .read(random.nextLong(endOffset), FETCH_BYTES, endOffset, true);
    long position = slice.position();
    slice.release();
    return position;
  }

  /** Finds the first record at or after a random time. */
  @Benchmark
  public Optional<TimestampedOffset> byTime() throws StorageException {
    return requireNonNull(benchLog)
        .log()
        .findByTimestamp(firstMs + random.nextInt(batches), endOffset);
  }
}
