package io.weirmq.replication;

import io.weirmq.replication.ProduceResult.Accepted;
import io.weirmq.replication.ProduceResult.NotEnoughReplicas;
import io.weirmq.replication.ProduceResult.NotLeader;
import io.weirmq.replication.ProduceResult.Refused;
import io.weirmq.replication.ProduceResult.StorageFailed;
import io.weirmq.replication.metadata.PartitionMetadata;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.EpochEndOffset;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogWriter;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.TopicPartition;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A copy of a partition on this broker: the log together with who leads it.
 *
 * <p>Everything that changes the log passes through here. As leader it stamps its leader epoch into
 * what it appends, raises the high watermark, and answers {@code acks=all} once the high watermark
 * has passed the batch. With one replica in sync that is at once.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>the leader epoch never goes back
 *   <li>the high watermark is the smallest log end among the replicas in sync, as far as the flush
 *       policy lets the leader count its own; it never goes back
 *   <li>each append that was taken is answered exactly once, also where the partition is closed
 * </ul>
 *
 * <p>Safe for use by several threads. Answers to appends come on the pipeline's thread, or on the
 * caller's where nothing was queued. A partition at rest costs no thread and no open file.
 */
public final class Partition {

  /** The value of an asked leader epoch where the client wants no check. */
  public static final int NO_EPOCH_CHECK = -1;

  /** The {@code acks} of a producer that waits for all replicas in sync. */
  public static final short ACKS_ALL = -1;

  private static final Comparator<PendingAck> BY_OFFSET =
      Comparator.comparingLong(pending -> pending.accepted.lastOffset());

  private final int localBrokerId;
  private final PartitionLog log;
  private final LogAppender appender;
  private final Set<PartitionListener> listeners = ConcurrentHashMap.newKeySet();

  /** Appends of acks=all that wait for the high watermark, by offset. Pipeline's thread only. */
  private final Queue<PendingAck> pendingAcks = new PriorityQueue<>(1, BY_OFFSET);

  private volatile Leadership leadership;

  private Partition(
      int localBrokerId, PartitionLog log, AppendPipeline pipeline, Leadership leadership) {
    this.localBrokerId = localBrokerId;
    this.log = log;
    this.leadership = leadership;
    this.appender = pipeline.attach(log, this::onAppended);
  }

  /**
   * Attaches a log to a pipeline and takes the role that the metadata gives.
   *
   * @param localBrokerId id of this broker
   * @param log not attached to any pipeline
   * @param pipeline whose thread becomes the log's single writer
   * @param metadata leader, epoch and replicas
   * @param minInSyncReplicas {@code min.insync.replicas} of the topic
   */
  public static Partition open(
      int localBrokerId,
      PartitionLog log,
      AppendPipeline pipeline,
      PartitionMetadata metadata,
      int minInSyncReplicas) {
    return new Partition(
        localBrokerId, log, pipeline, new Leadership(metadata, minInSyncReplicas, false));
  }

  /** The partition's name. */
  public TopicPartition topicPartition() {
    return log.topicPartition();
  }

  /** The topic's identity. */
  public UUID topicId() {
    return log.topicId();
  }

  /** The log, for reading. */
  public PartitionLog log() {
    return log;
  }

  /** The broker id of the leader, -1 where there is none. */
  public int leader() {
    return leadership.metadata.leader();
  }

  /** The leader epoch. */
  public int leaderEpoch() {
    return leadership.metadata.leaderEpoch();
  }

  /** The broker ids of the replicas in sync. */
  public List<Integer> isr() {
    return leadership.metadata.isr();
  }

  /** Whether this broker leads the partition; false once it is closed. */
  public boolean isLeader() {
    return leads(leadership);
  }

  /** Whether the partition was closed: its topic is gone, or the broker stops. */
  public boolean isClosed() {
    return leadership.closed;
  }

  /** Compares the leader epoch that a client knows, -1 for no check, with the partition's. */
  public EpochCheck checkLeaderEpoch(int currentLeaderEpoch) {
    int epoch = leaderEpoch();
    if (currentLeaderEpoch == NO_EPOCH_CHECK || currentLeaderEpoch == epoch) {
      return EpochCheck.OK;
    }
    return currentLeaderEpoch < epoch ? EpochCheck.FENCED : EpochCheck.UNKNOWN;
  }

  /**
   * Appends a batch.
   *
   * @param records one batch of format v2 from position to limit; borrowed until the callback, and
   *     stamped in place
   * @param origin who sends
   * @param acks -1: answer once all replicas in sync have it; 0 or 1: once the leader has it
   * @param callback called exactly once where true is returned, never otherwise
   * @return false where the pipeline is full, or too many appends of this log wait for the disk:
   *     nothing happened, and the caller stops reading from its client until {@link #whenWritable}
   *     fires
   */
  public boolean tryAppend(
      ByteBuffer records, AppendOrigin origin, short acks, ProduceCallback callback) {
    Leadership current = leadership;
    if (!leads(current)) {
      callback.onResult(current.notLeader());
      return true;
    }
    if (acks == ACKS_ALL && !current.hasEnoughReplicas()) {
      callback.onResult(current.notEnoughReplicas(false));
      return true;
    }
    AppendRequest request = new AppendRequest(records, origin, current.metadata.leaderEpoch());
    return appender.tryAppend(request, result -> onAppendResult(result, acks, callback));
  }

  /** Runs an action once the log takes appends again; at once where it does now. */
  public void whenWritable(Runnable action) {
    appender.whenWritable(action);
  }

  /**
   * Removes the records below an offset from sight, and from the disk segment by segment.
   *
   * @param offset the new log start offset, or -1 for the high watermark
   * @return completes with the low watermark: the smallest log start offset of the replicas;
   *     exceptionally with an {@link io.weirmq.storage.OffsetOutOfRangeException} where the offset
   *     is above the high watermark, or another {@link io.weirmq.storage.StorageException}
   */
  public CompletableFuture<Long> deleteRecordsBefore(long offset) {
    return appender.execute(
        writer -> writer.deleteRecordsBefore(offset == -1 ? log.highWatermark() : offset));
  }

  /**
   * Answers an epoch query: where does that leader epoch end in this log.
   *
   * @param epoch the asked epoch
   */
  public EpochEndOffset endOffsetOfEpoch(int epoch) {
    return log.endOffsetOfEpoch(epoch, leaderEpoch());
  }

  /**
   * Runs a task on the log's writer thread, after the appends queued before; see {@link
   * LogAppender#execute}.
   */
  public <T> CompletableFuture<T> execute(LogAppender.WriterTask<T> task) {
    return appender.execute(task);
  }

  /**
   * Adds a listener. Look at the offsets again afterwards: what happened before is not told. Costs
   * nothing to appends where nobody listens.
   */
  public void addListener(PartitionListener listener) {
    listeners.add(listener);
  }

  /** Removes a listener; it may still be called by an event that is under way. */
  public void removeListener(PartitionListener listener) {
    listeners.remove(listener);
  }

  /**
   * Raises the high watermark of a log that was found on the disk: it is stored now and then only,
   * so it may lie below the end, although a leader that is alone in sync knows that all counts.
   *
   * @return completes with the high watermark, at once where nothing is to be done; exceptionally
   *     with a {@link io.weirmq.storage.RejectedAppendException} where the pipeline has no room
   */
  public CompletableFuture<Long> recoverHighWatermark() {
    if (!isLeader() || log.highWatermark() >= log.logEndOffset()) {
      return CompletableFuture.completedFuture(log.highWatermark());
    }
    return appender.execute(
        writer -> {
          onAppended(writer);
          return log.highWatermark();
        });
  }

  /** Follows the metadata: another leader, epoch, or set of replicas in sync. */
  void follow(PartitionMetadata metadata, int minInSyncReplicas) {
    Leadership before = leadership;
    if (metadata.leaderEpoch() < before.metadata.leaderEpoch()) {
      throw new IllegalStateException(
          "leader epoch of %s would go back from %d to %d"
              .formatted(topicPartition(), before.metadata.leaderEpoch(), metadata.leaderEpoch()));
    }
    leadership = new Leadership(metadata, minInSyncReplicas, before.closed);
    if (metadata.leader() != before.metadata.leader()
        || metadata.leaderEpoch() != before.metadata.leaderEpoch()) {
      tellLeadershipChanged();
    }
    // Where this broker is alone in sync now, what waited for the others counts as replicated.
    recoverHighWatermark();
  }

  /** Puts another log configuration in force on the writer's thread; completes with it. */
  CompletableFuture<LogConfig> reconfigure(LogConfig config) {
    return appender.execute(
        writer -> {
          writer.reconfigure(config);
          return config;
        });
  }

  /**
   * Ends the partition's life here: later appends are told {@link NotLeader}, queued ones are
   * handled, those that wait for other replicas are told {@link NotLeader}.
   *
   * @return completes once no thread of the pipeline touches the log any more
   */
  CompletableFuture<Void> close() {
    Leadership before = leadership;
    if (before.closed) {
      return CompletableFuture.completedFuture(null);
    }
    leadership = new Leadership(before.metadata, before.minInSyncReplicas, true);
    tellLeadershipChanged();
    // The detached log has no writer any more, so whoever runs this stage is alone with the queue.
    return appender.detach().whenComplete((none, failure) -> failPendingAcks());
  }

  private void onAppended(LogWriter writer) {
    raiseHighWatermark(writer);
    completePendingAcks();
    for (PartitionListener listener : listeners) {
      listener.onAdvanced(this);
    }
  }

  private void raiseHighWatermark(LogWriter writer) {
    Leadership current = leadership;
    if (current.isLoneInSync(localBrokerId)) {
      // Not to the log end: what a power cut may take back must not have been read by then.
      writer.advanceHighWatermark(writer.settledOffset());
    }
  }

  private void onAppendResult(AppendResult result, short acks, ProduceCallback callback) {
    if (result instanceof AppendResult.Appended appended) {
      acknowledge(
          new Accepted(
              appended.baseOffset(),
              appended.lastOffset(),
              appended.logAppendTimeMs(),
              appended.logStartOffset(),
              false),
          acks,
          callback);
    } else if (result instanceof AppendResult.Duplicate duplicate) {
      acknowledge(
          new Accepted(
              duplicate.baseOffset(),
              duplicate.lastOffset(),
              duplicate.logAppendTimeMs(),
              duplicate.logStartOffset(),
              true),
          acks,
          callback);
    } else if (result instanceof AppendResult.Rejected rejected) {
      callback.onResult(new Refused(rejected));
    } else if (result instanceof AppendResult.Failed failed) {
      callback.onResult(
          leadership.closed ? leadership.notLeader() : new StorageFailed(failed.cause()));
    } else {
      throw new IllegalStateException("unknown result " + result);
    }
  }

  private void acknowledge(Accepted accepted, short acks, ProduceCallback callback) {
    if (acks != ACKS_ALL || log.highWatermark() > accepted.lastOffset()) {
      callback.onResult(accepted);
    } else {
      pendingAcks.add(new PendingAck(accepted, callback));
    }
  }

  private void completePendingAcks() {
    long highWatermark = log.highWatermark();
    PendingAck next = pendingAcks.peek();
    while (next != null && next.accepted.lastOffset() < highWatermark) {
      pendingAcks.remove();
      Leadership current = leadership;
      next.callback.onResult(
          current.hasEnoughReplicas() ? next.accepted : current.notEnoughReplicas(true));
      next = pendingAcks.peek();
    }
  }

  private void failPendingAcks() {
    PendingAck next = pendingAcks.poll();
    while (next != null) {
      next.callback.onResult(leadership.notLeader());
      next = pendingAcks.poll();
    }
  }

  private void tellLeadershipChanged() {
    for (PartitionListener listener : listeners) {
      listener.onLeadershipChanged(this);
    }
  }

  private boolean leads(Leadership current) {
    return !current.closed && current.metadata.leader() == localBrokerId;
  }

  @Override
  public String toString() {
    return "Partition[%s, leader=%d, epoch=%d]"
        .formatted(topicPartition(), leader(), leaderEpoch());
  }

  /** An append of acks=all that waits for the high watermark. */
  private record PendingAck(Accepted accepted, ProduceCallback callback) {}

  /** Who leads, seen as a whole. */
  private record Leadership(PartitionMetadata metadata, int minInSyncReplicas, boolean closed) {

    boolean hasEnoughReplicas() {
      return metadata.isr().size() >= minInSyncReplicas;
    }

    boolean isLoneInSync(int brokerId) {
      return metadata.isr().size() == 1 && metadata.isr().contains(brokerId);
    }

    NotLeader notLeader() {
      return new NotLeader(closed ? -1 : metadata.leader(), metadata.leaderEpoch());
    }

    NotEnoughReplicas notEnoughReplicas(boolean appended) {
      return new NotEnoughReplicas(metadata.isr().size(), minInSyncReplicas, appended);
    }
  }
}
