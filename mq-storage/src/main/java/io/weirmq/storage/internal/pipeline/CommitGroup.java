package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.AppendResult;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.ValidatedBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The appends that are committed together: one write per log and one call of each log's listener.
 *
 * <p>Confined to one thread (the pipeline's writer).
 */
final class CommitGroup {

  private static final Logger LOG = LoggerFactory.getLogger(CommitGroup.class);

  private final List<LogChannel> touched = new ArrayList<>();
  private final int stagedBytesMax;

  private long stagedBytes;

  CommitGroup(int stagedBytesMax) {
    this.stagedBytesMax = stagedBytesMax;
  }

  boolean isFull() {
    return stagedBytes >= stagedBytesMax;
  }

  /** Stages an append; what goes wrong is its result. */
  void stage(AppendEvent event, LogChannel channel, ValidatedBatch batch, long nowMs) {
    if (channel.isReleased()) {
      event.stagedAs(new AppendResult.Failed(channel.detachedRefusal()));
      return;
    }
    if (channel.touch()) {
      touched.add(channel);
    }
    AppendResult result;
    try {
      result = channel.target().stage(batch, event.origin(), event.leaderEpoch(), nowMs);
    } catch (RuntimeException e) {
      LOG.error("staging a batch for {} failed", channel.log().topicPartition(), e);
      result = new AppendResult.Failed(unexpected(channel, "staging a batch", e));
    }
    if (result instanceof AppendResult.Appended) {
      channel.grown();
      stagedBytes += batch.buffer().remaining();
    }
    event.stagedAs(result);
  }

  /** Commits each touched log, then tells the listeners; failures stay per log. */
  void commit() {
    for (int i = 0; i < touched.size(); i++) {
      LogChannel channel = touched.get(i);
      commit(channel);
      channel.flushes().onCommitted();
    }
    for (int i = 0; i < touched.size(); i++) {
      LogChannel channel = touched.get(i);
      if (channel.hasGrown()) {
        channel.tellListener();
      }
    }
  }

  /** Gives touched logs that have to get on the disk to a flush thread. */
  void startFlushes(long nowMs) {
    for (int i = 0; i < touched.size(); i++) {
      touched.get(i).flushes().startWhereDue(nowMs);
    }
  }

  /** Makes the result of a staged append final. */
  void decide(AppendEvent event, LogChannel channel) {
    AppendResult staged = event.result();
    StorageException failure = failureOf(channel, staged);
    event.decide(
        failure != null || staged == null ? new AppendResult.Failed(cause(failure)) : staged);
  }

  /** Begins the next group. */
  void reset() {
    for (int i = 0; i < touched.size(); i++) {
      touched.get(i).untouch();
    }
    touched.clear();
    stagedBytes = 0;
  }

  private static StorageException cause(@Nullable StorageException failure) {
    return failure != null ? failure : new StorageException("the append was not staged");
  }

  private static @Nullable StorageException failureOf(
      LogChannel channel, @Nullable AppendResult staged) {
    long lastOffset;
    if (staged instanceof AppendResult.Appended appended) {
      lastOffset = appended.lastOffset();
    } else if (staged instanceof AppendResult.Duplicate duplicate) {
      lastOffset = duplicate.lastOffset();
    } else {
      return null;
    }
    // A roll in the middle commits what was staged before it; that part stays in the log where
    // the commit of the rest fails.
    boolean isInLog = channel.commitFailure() == null || lastOffset < channel.log().logEndOffset();
    return isInLog ? null : channel.commitFailure();
  }

  private static void commit(LogChannel channel) {
    try {
      channel.target().commit();
    } catch (StorageException e) {
      channel.commitFailed(e);
    } catch (RuntimeException e) {
      LOG.error("committing to {} failed", channel.log().topicPartition(), e);
      channel.commitFailed(unexpected(channel, "committing", e));
    }
  }

  private static StorageException unexpected(
      LogChannel channel, String what, RuntimeException cause) {
    return new StorageException(
        "%s: %s failed unexpectedly: %s".formatted(channel.log().topicPartition(), what, cause),
        cause);
  }
}
