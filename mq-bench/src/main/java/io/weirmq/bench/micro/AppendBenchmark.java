package io.weirmq.bench.micro;

import static java.util.Objects.requireNonNull;

import io.weirmq.storage.LogConfig;
import io.weirmq.storage.WaitStrategyKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Appending batches through the pipeline, checksums and record headers checked, beside {@link
 * FileChannel#write(ByteBuffer)} of the same buffers into a growing file. No fsync in either. Each
 * invocation fills a new file with 512 MiB; an operation is one batch.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 6)
@Measurement(iterations = 10)
@Fork(
    value = 3,
    jvmArgs = {"-Xms512m", "-Xmx512m"})
public class AppendBenchmark {

  private static final int BATCH_BYTES = 16 * 1024;
  private static final int BATCHES = 32 * 1024;
  private static final int IN_FLIGHT = 64;

  /** Made by JMH. */
  public AppendBenchmark() {}

  /** The baseline: a file and the buffers in turn. */
  @State(Scope.Benchmark)
  public static class File {
    final ByteBuffer[] batches = new ByteBuffer[IN_FLIGHT];
    @Nullable PlainFile file;

    /** Made by JMH. */
    public File() {
      for (int i = 0; i < IN_FLIGHT; i++) {
        batches[i] = Batches.ofSize(BATCH_BYTES, System.currentTimeMillis());
      }
    }

    /** Makes the file. */
    @Setup(Level.Invocation)
    public void create() throws IOException {
      file = new PlainFile();
    }

    /** Removes the file. */
    @TearDown(Level.Invocation)
    public void remove() throws IOException {
      requireNonNull(file).close();
    }
  }

  /** A log and its pipeline. */
  @State(Scope.Benchmark)
  public static class Pipeline {
    /** How the writer waits for work. */
    @Param({"BLOCKING", "YIELDING"})
    public WaitStrategyKind wait = WaitStrategyKind.BLOCKING;

    final InFlight batches =
        new InFlight(Batches.ofSize(BATCH_BYTES, System.currentTimeMillis()), IN_FLIGHT);
    @Nullable BenchLog log;

    /** Made by JMH. */
    public Pipeline() {}

    /** Makes the log. */
    @Setup(Level.Invocation)
    public void create() throws IOException {
      log = new BenchLog(LogConfig.defaults(), wait);
    }

    /** Removes the log. */
    @TearDown(Level.Invocation)
    public void remove() throws IOException {
      requireNonNull(log).close();
    }
  }

  /** Plain writes. */
  @Benchmark
  @OperationsPerInvocation(BATCHES)
  public void plainFile(File state) throws IOException {
    FileChannel channel = requireNonNull(state.file).channel();
    for (int i = 0; i < BATCHES; i++) {
      ByteBuffer batch = state.batches[i % IN_FLIGHT].rewind();
      while (batch.hasRemaining()) {
        channel.write(batch);
      }
    }
  }

  /** Appends by one thread that keeps 64 batches on the way. */
  @Benchmark
  @OperationsPerInvocation(BATCHES)
  public void pipeline(Pipeline state) throws InterruptedException {
    BenchLog log = requireNonNull(state.log);
    for (int i = 0; i < BATCHES; i++) {
      state.batches.append(log.appender());
    }
    state.batches.await();
  }
}
