package io.weirmq.storage;

import io.weirmq.storage.compress.BufferPool;
import io.weirmq.storage.internal.pipeline.DisruptorAppendPipeline;
import io.weirmq.storage.internal.validate.BatchValidator;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;

/** Opens append pipelines. */
public final class AppendPipelines {

  private AppendPipelines() {}

  /**
   * Opens a pipeline and starts its writer thread.
   *
   * @param threads makes that one thread
   * @param clock wall clock for timestamps and flush policies
   * @param fatalErrors told where the writer ends by an {@link Error}; the pipeline is closed then
   * @return to be closed by the caller
   */
  public static AppendPipeline open(
      PipelineOptions options,
      ThreadFactory threads,
      InstantSource clock,
      FatalErrorHandler fatalErrors) {
    return open(options, threads, clock, fatalErrors, new BufferPool());
  }

  /**
   * Opens a pipeline whose validation takes working memory for compressed batches from a pool that
   * several pipelines share; see {@link #open(PipelineOptions, ThreadFactory, InstantSource,
   * FatalErrorHandler)}.
   */
  public static AppendPipeline open(
      PipelineOptions options,
      ThreadFactory threads,
      InstantSource clock,
      FatalErrorHandler fatalErrors,
      BufferPool buffers) {
    return DisruptorAppendPipeline.open(
        options, threads, clock, fatalErrors, new BatchValidator(buffers));
  }
}
