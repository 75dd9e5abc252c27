package io.weirmq.replication;

/** Receives the outcome of {@link Partition#tryAppend}; must not block. */
@FunctionalInterface
public interface ProduceCallback {

  /** Called once, on the calling thread of the append or on the thread of the log's pipeline. */
  void onResult(ProduceResult result);
}
