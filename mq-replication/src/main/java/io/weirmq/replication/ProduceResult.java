package io.weirmq.replication;

import io.weirmq.storage.AppendResult;
import io.weirmq.storage.StorageException;

/** The outcome of {@link Partition#tryAppend}. */
public sealed interface ProduceResult {

  /**
   * The batch is in the log, and on as many replicas as was asked for.
   *
   * @param baseOffset offset of its first record
   * @param lastOffset offset of its last record
   * @param logAppendTimeMs wall clock of the append where the topic stamps it, else -1
   * @param logStartOffset log start offset after the append
   * @param duplicate whether it was there before, from an idempotent producer; nothing was written
   */
  record Accepted(
      long baseOffset,
      long lastOffset,
      long logAppendTimeMs,
      long logStartOffset,
      boolean duplicate)
      implements ProduceResult {}

  /**
   * The batch breaks a rule; nothing was written.
   *
   * @param rejection which rule, and what was found
   */
  record Refused(AppendResult.Rejected rejection) implements ProduceResult {}

  /**
   * The storage failed; nothing of the batch is readable.
   *
   * @param cause names file and position
   */
  record StorageFailed(StorageException cause) implements ProduceResult {}

  /**
   * Fewer replicas are in sync than {@code min.insync.replicas} demands.
   *
   * @param inSyncCount replicas in sync
   * @param requiredCount replicas that must be in sync
   * @param appended whether the batch is in the leader's log all the same
   */
  record NotEnoughReplicas(int inSyncCount, int requiredCount, boolean appended)
      implements ProduceResult {}

  /**
   * This broker does not lead the partition (any more); whether the batch survives is not known
   * where it was in flight.
   *
   * @param leader broker id of the leader, -1 where it is not known
   * @param leaderEpoch its leader epoch
   */
  record NotLeader(int leader, int leaderEpoch) implements ProduceResult {}
}
