package io.weirmq.storage;

/**
 * Told by the pipeline that a log has grown, once per log and batch of events, on the writer's
 * thread, before the callbacks of those appends run. Told again where a flush has settled more of
 * the log, see {@link LogWriter#settledOffset()}. The owner of the partition raises the high
 * watermark here.
 */
@FunctionalInterface
public interface AppendListener {

  /** Called after records were written or settled; must not block. */
  void onAppended(LogWriter writer);
}
