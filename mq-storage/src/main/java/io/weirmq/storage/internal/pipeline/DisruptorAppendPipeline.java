package io.weirmq.storage.internal.pipeline;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.weirmq.storage.AppendListener;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.FatalErrorHandler;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.WaitStrategyKind;
import io.weirmq.storage.internal.WritableLog;
import io.weirmq.storage.internal.validate.BatchValidator;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/**
 * The append pipeline over an LMAX Disruptor ring; see {@link PipelineWriter} for what its thread
 * does and {@link LogChannel} for what happens on the callers' threads.
 *
 * <p>Safe for use by several threads.
 */
public final class DisruptorAppendPipeline implements AppendPipeline {

  private final AppendRing ring;
  private final PipelineState state;
  private final WritableWaiters waiters;
  private final ChannelEnvironment environment;
  private final Map<PartitionLog, LogChannel> channels;
  private final Thread thread;

  private DisruptorAppendPipeline(
      PipelineOptions options,
      ThreadFactory threads,
      ThreadFactory flushThreads,
      InstantSource clock,
      FatalErrorHandler fatalErrors,
      BatchValidator validator) {
    this.ring = new AppendRing(options.ringSize(), waitStrategy(options.waitStrategy()));
    this.state = new PipelineState(options.name());
    Map<PartitionLog, LogChannel> attached = new ConcurrentHashMap<>();
    this.channels = attached;
    Detachments detachments =
        new Detachments(ring, state, channel -> attached.remove(channel.log(), channel));
    this.waiters = new WritableWaiters();
    FlushThreads flushing =
        new FlushThreads(options.flushThreadsMax(), flushThreads, ring, options.name());
    this.environment =
        new ChannelEnvironment(
            ring, state, validator, clock, detachments, waiters, flushing, options.parkedMax());
    this.thread =
        threads.newThread(
            new PipelineWriter(
                ring,
                state,
                new CommitGroup(options.stagedBytesMax()),
                flushing,
                detachments,
                waiters,
                clock,
                fatalErrors));
    if (thread == null) {
      throw new IllegalStateException(
          "no thread was made for the writer of pipeline " + options.name());
    }
  }

  /**
   * Opens a pipeline and starts its thread.
   *
   * @param threads makes the writer's thread
   * @param flushThreads makes the threads that wait for the disk, on demand
   * @param validator runs on the callers' threads
   */
  public static DisruptorAppendPipeline open(
      PipelineOptions options,
      ThreadFactory threads,
      ThreadFactory flushThreads,
      InstantSource clock,
      FatalErrorHandler fatalErrors,
      BatchValidator validator) {
    DisruptorAppendPipeline pipeline =
        new DisruptorAppendPipeline(options, threads, flushThreads, clock, fatalErrors, validator);
    pipeline.thread.start();
    return pipeline;
  }

  @Override
  public LogAppender attach(PartitionLog log, AppendListener listener) {
    if (!(log instanceof WritableLog writable)) {
      throw new IllegalArgumentException(
          "%s is no log of a LogDirectory but a %s"
              .formatted(log.topicPartition(), log.getClass().getName()));
    }
    LogChannel channel = new LogChannel(writable, listener, environment);
    if (channels.putIfAbsent(log, channel) != null) {
      throw new IllegalStateException(
          "%s is attached to pipeline %s already".formatted(log.topicPartition(), state.name()));
    }
    return channel;
  }

  @Override
  public void whenWritable(Runnable action) {
    waiters.add(action);
    // The writer frees slots and then looks for waiters; we did it the other way round.
    if (state.hasEnded() || ring.hasRoom()) {
      waiters.run(1);
    }
  }

  @Override
  public void close() {
    state.beginClosing();
    ring.alertWriter();
    if (Thread.currentThread() == thread) {
      // From a callback: the thread ends by itself once the callback has returned.
      return;
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static WaitStrategy waitStrategy(WaitStrategyKind kind) {
    return switch (kind) {
      case ADAPTIVE -> new AdaptiveWaitStrategy(System::nanoTime);
      case BLOCKING -> new BlockingWaitStrategy();
      case YIELDING -> new YieldingWaitStrategy();
      case BUSY_SPIN -> new BusySpinWaitStrategy();
    };
  }
}
