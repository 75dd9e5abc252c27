package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.AppendCallback;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.internal.ValidatedBatch;
import org.jspecify.annotations.Nullable;

/**
 * A slot of the ring: an append, a task, or nothing, which only wakes the writer. Slots are made
 * once and re-used.
 *
 * <p>Owned by the thread that claimed it until it is published, then by the writer until that moves
 * its sequence on.
 */
final class AppendEvent {

  private @Nullable LogChannel channel;
  private @Nullable ValidatedBatch batch;
  private AppendOrigin origin = AppendOrigin.CLIENT;
  private int leaderEpoch;
  private @Nullable AppendCallback callback;
  private @Nullable QueuedTask<?> task;

  // What staging said, and whether the commit has made it final.
  private @Nullable AppendResult result;
  private boolean isDecided;

  void setAppend(
      LogChannel newChannel,
      ValidatedBatch newBatch,
      AppendOrigin newOrigin,
      int newLeaderEpoch,
      AppendCallback newCallback) {
    channel = newChannel;
    batch = newBatch;
    origin = newOrigin;
    leaderEpoch = newLeaderEpoch;
    callback = newCallback;
  }

  void setTask(QueuedTask<?> newTask) {
    task = newTask;
  }

  @Nullable LogChannel channel() {
    return channel;
  }

  @Nullable ValidatedBatch batch() {
    return batch;
  }

  AppendOrigin origin() {
    return origin;
  }

  int leaderEpoch() {
    return leaderEpoch;
  }

  @Nullable QueuedTask<?> task() {
    return task;
  }

  @Nullable AppendResult result() {
    return result;
  }

  boolean isDecided() {
    return isDecided;
  }

  void stagedAs(AppendResult newResult) {
    result = newResult;
  }

  void decide(AppendResult newResult) {
    result = newResult;
    isDecided = true;
  }

  /** Returns the callback at the first call only, so that it can't be called twice. */
  @Nullable AppendCallback takeCallback() {
    AppendCallback taken = callback;
    callback = null;
    return taken;
  }

  /** Lets go of everything, so that a waiting slot holds no garbage. */
  void clear() {
    channel = null;
    batch = null;
    callback = null;
    task = null;
    result = null;
    isDecided = false;
  }
}
