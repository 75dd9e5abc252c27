package io.weirmq.storage;

import io.weirmq.storage.internal.pipeline.DisruptorAppendPipeline;
import io.weirmq.storage.internal.validate.BatchValidator;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;

/** Opens append pipelines. */
public final class AppendPipelines {

  private AppendPipelines() {}

  /**
   * Opens a pipeline and starts its writer thread. Its validation takes working memory for
   * compressed batches from a pool of the pipeline's own.
   *
   * @param threads makes that thread, and those that wait for the disk
   * @param clock wall clock for timestamps and flush policies
   * @param fatalErrors told where the writer ends by an {@link Error}; the pipeline is closed then
   * @return to be closed by the caller
   */
  public static AppendPipeline open(
      PipelineOptions options,
      ThreadFactory threads,
      InstantSource clock,
      FatalErrorHandler fatalErrors) {
    return open(options, threads, threads, clock, fatalErrors);
  }

  /**
   * Opens a pipeline as above, whose kinds of threads are made by different factories.
   *
   * @param writerThreads makes the writer thread
   * @param flushThreads makes threads that wait for the disk, on demand, up to {@link
   *     PipelineOptions#flushThreadsMax}
   * @return to be closed by the caller
   */
  public static AppendPipeline open(
      PipelineOptions options,
      ThreadFactory writerThreads,
      ThreadFactory flushThreads,
      InstantSource clock,
      FatalErrorHandler fatalErrors) {
    return DisruptorAppendPipeline.open(
        options, writerThreads, flushThreads, clock, fatalErrors, new BatchValidator());
  }
}
