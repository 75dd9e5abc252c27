package io.weirmq.storage.internal.segment;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a segment's transaction index. Immutable; one field of a segment at rest.
 *
 * @param exists whether the segment has one
 * @param checked whether it was written or looked at since the log was opened
 * @param recorded what was remembered of it, or worked out; null where nothing is known
 */
record TransactionIndexState(
    boolean exists, boolean checked, @Nullable TransactionIndexRecord recorded) {

  /** The segment has none. */
  static final TransactionIndexState NONE = new TransactionIndexState(false, true, null);

  /** There is one, and it is right. */
  static final TransactionIndexState SOUND = new TransactionIndexState(true, true, null);

  private static final TransactionIndexState FOUND = new TransactionIndexState(true, false, null);

  /** What a start knows: names, and what was remembered. */
  static TransactionIndexState found(boolean named, @Nullable TransactionIndexRecord recorded) {
    if (recorded != null) {
      return new TransactionIndexState(true, false, recorded);
    }
    return named ? FOUND : NONE;
  }

  TransactionIndexState withRecorded(TransactionIndexRecord record) {
    return new TransactionIndexState(exists, checked, record);
  }

  TransactionIndexState unchecked() {
    return new TransactionIndexState(exists, false, recorded);
  }
}
