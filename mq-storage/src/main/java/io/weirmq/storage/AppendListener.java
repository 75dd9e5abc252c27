package io.weirmq.storage;

/**
 * Told by the pipeline that a log has grown, once per log and batch of events, on the writer's
 * thread, before the callbacks of those appends run. The owner of the partition raises the high
 * watermark here.
 */
@FunctionalInterface
public interface AppendListener {

  /** Called after records were written; must not block. */
  void onAppended(LogWriter writer);
}
