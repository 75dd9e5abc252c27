package io.weirmq.storage.internal;

import io.weirmq.storage.PartitionLog;

/** A log that a pipeline can write to; every log of a {@code LogDirectory} is one. */
public interface WritableLog extends PartitionLog {

  /**
   * What changes the log. The same object each time; confined to one thread at a time, which the
   * pipeline that the log is attached to provides.
   */
  AppendTarget appendTarget();
}
