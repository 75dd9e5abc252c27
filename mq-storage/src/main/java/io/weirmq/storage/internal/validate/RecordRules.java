package io.weirmq.storage.internal.validate;

import io.weirmq.storage.LogConfig;
import io.weirmq.storage.record.RecordBatch;

/**
 * What a topic demands of single records. Immutable.
 *
 * @param keyRequired whether each record needs a key, as compaction does
 * @param timestampMin smallest timestamp, milliseconds since the epoch
 * @param timestampMax greatest timestamp, milliseconds since the epoch
 */
record RecordRules(boolean keyRequired, long timestampMin, long timestampMax) {

  /** Nothing but the format. */
  static final RecordRules NONE = new RecordRules(false, Long.MIN_VALUE, Long.MAX_VALUE);

  /**
   * The rules of a topic for its clients.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  static RecordRules of(LogConfig config, long nowMs) {
    if (config.logAppendTime()) {
      return new RecordRules(config.compact(), Long.MIN_VALUE, Long.MAX_VALUE);
    }
    long min = Math.max(0, nowMs - Math.min(config.timestampBeforeMaxMs(), nowMs));
    long max = nowMs + Math.min(config.timestampAfterMaxMs(), Long.MAX_VALUE - nowMs);
    return new RecordRules(config.compact(), min, max);
  }

  /** Whether a record may have a timestamp; none at all is always right. */
  boolean accepts(long timestampMs) {
    return (timestampMs >= timestampMin && timestampMs <= timestampMax)
        || timestampMs == RecordBatch.NO_TIMESTAMP;
  }
}
