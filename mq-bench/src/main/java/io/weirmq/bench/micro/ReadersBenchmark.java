package io.weirmq.bench.micro;

import static java.util.Objects.requireNonNull;

import io.weirmq.storage.LogConfig;
import io.weirmq.storage.WaitStrategyKind;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
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
 * Appending while nobody and while others read the same log at random offsets, 2,000 times per
 * second each. An operation is one batch of 16 KiB; the second figure is the processor time that
 * the writer's thread spent on one.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10)
@Measurement(iterations = 10)
@Fork(
    value = 3,
    jvmArgs = {"-Xms512m", "-Xmx512m"})
public class ReadersBenchmark {

  private static final int BATCH_BYTES = 16 * 1024;
  private static final int BATCHES = 32 * 1024;
  private static final int IN_FLIGHT = 64;
  private static final int READS_PER_SECOND = 2_000;

  /** Made by JMH. */
  public ReadersBenchmark() {}

  /** A log with readers. */
  @State(Scope.Benchmark)
  public static class Log {
    /** Threads that read. */
    @Param({"0", "2"})
    public int readers = 2;

    final InFlight batches =
        new InFlight(Batches.ofSize(BATCH_BYTES, System.currentTimeMillis()), IN_FLIGHT);
    @Nullable BenchLog log;
    @Nullable Readers reading;

    /** Made by JMH. */
    public Log() {}

    /** Makes the log and starts the readers. */
    @Setup(Level.Invocation)
    public void create() throws IOException {
      BenchLog made = new BenchLog(LogConfig.defaults(), WaitStrategyKind.BLOCKING);
      log = made;
      reading = new Readers(made.log(), readers, READS_PER_SECOND);
    }

    /** Removes the log. */
    @TearDown(Level.Invocation)
    public void remove() throws IOException {
      requireNonNull(reading).close();
      requireNonNull(log).close();
    }
  }

  /** What the writer spent. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Spent {
    /** Processor time of the writer's thread, microseconds in all iterations together. */
    public long writerCpuMicros;

    /** Batches in all iterations together. */
    public long batches;

    /** Reads that others made meanwhile. */
    public long reads;

    /** Made by JMH. */
    public Spent() {}
  }

  /** Appends by one thread that keeps 64 batches on the way. */
  @Benchmark
  @OperationsPerInvocation(BATCHES)
  public void append(Log state, Spent spent) throws InterruptedException {
    BenchLog log = requireNonNull(state.log);
    long writerId = log.writer().getId();
    long before = ManagementFactory.getThreadMXBean().getThreadCpuTime(writerId);
    for (int i = 0; i < BATCHES; i++) {
      state.batches.append(log.appender());
    }
    state.batches.await();
    long after = ManagementFactory.getThreadMXBean().getThreadCpuTime(writerId);
    spent.writerCpuMicros = TimeUnit.NANOSECONDS.toMicros(after - before);
    spent.batches = BATCHES;
    spent.reads = requireNonNull(state.reading).count();
  }
}
