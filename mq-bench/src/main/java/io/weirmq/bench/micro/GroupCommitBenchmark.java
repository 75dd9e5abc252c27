package io.weirmq.bench.micro;

import static java.util.Objects.requireNonNull;

import io.weirmq.storage.LogConfig;
import io.weirmq.storage.WaitStrategyKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Appenders that each wait until their batch is on the disk before they send the next: one of them,
 * and 64 that share the fsyncs. Needs a folder on a real disk. An operation is one batch.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 3)
@Fork(
    value = 2,
    jvmArgs = {"-Xms512m", "-Xmx512m"})
public class GroupCommitBenchmark {

  /** Made by JMH. */
  public GroupCommitBenchmark() {}

  /** A log that is flushed for each append, and removed after each iteration. */
  @State(Scope.Benchmark)
  public static class Log {
    /** Size of a batch. */
    @Param({"1024", "16384"})
    public int batchBytes = 1024;

    ByteBuffer batch = ByteBuffer.allocate(0);
    @Nullable BenchLog log;

    /** Made by JMH. */
    public Log() {}

    /** Makes the log. */
    @Setup(Level.Iteration)
    public void create() throws IOException {
      batch = Batches.ofSize(batchBytes, System.currentTimeMillis());
      LogConfig config = new LogConfig.Builder().flush(1, Long.MAX_VALUE).build();
      log = new BenchLog(config, WaitStrategyKind.BLOCKING);
    }

    /** Removes the log. */
    @TearDown(Level.Iteration)
    public void remove() throws IOException {
      requireNonNull(log).close();
    }
  }

  /** An appender's buffer. */
  @State(Scope.Thread)
  public static class Appender {
    @Nullable InFlight one;

    /** Made by JMH. */
    public Appender() {}

    /** Copies the batch. */
    @Setup(Level.Iteration)
    public void create(Log state) {
      one = new InFlight(state.batch, 1);
    }
  }

  /** One appender. */
  @Benchmark
  @Threads(1)
  public void one(Log state, Appender appender) throws InterruptedException {
    append(state, appender);
  }

  /** 64 appenders. */
  @Benchmark
  @Threads(64)
  public void sixtyFour(Log state, Appender appender) throws InterruptedException {
    append(state, appender);
  }

  private static void append(Log state, Appender appender) throws InterruptedException {
    InFlight one = requireNonNull(appender.one);
    one.append(requireNonNull(state.log).appender());
    one.await();
  }
}
