package io.weirmq.replication;

import io.weirmq.storage.AppendCallback;
import io.weirmq.storage.AppendListener;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.RejectedAppendException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * A pipeline without a thread: work waits until {@link #run} is called, or is done at once where
 * {@link #eager} was called.
 */
final class FakePipeline implements AppendPipeline {

  private final Queue<Runnable> queue = new ArrayDeque<>();
  private final List<Runnable> whenWritable = new ArrayList<>();
  private int capacity = Integer.MAX_VALUE;
  private boolean eager;

  FakePipeline eager() {
    eager = true;
    return this;
  }

  FakePipeline capacity(int tasks) {
    capacity = tasks;
    return this;
  }

  /** Does all that waits, as one batch of events would be done by the real one. */
  void run() {
    while (!queue.isEmpty()) {
      queue.remove().run();
    }
    List<Runnable> actions = List.copyOf(whenWritable);
    whenWritable.clear();
    actions.forEach(Runnable::run);
  }

  @Override
  public LogAppender attach(PartitionLog log, AppendListener listener) {
    return new FakeAppender((FakeLog) log, listener);
  }

  @Override
  public void whenWritable(Runnable action) {
    if (queue.size() < capacity) {
      action.run();
    } else {
      whenWritable.add(action);
    }
  }

  @Override
  public void close() {
    run();
  }

  private boolean offer(Runnable task) {
    if (queue.size() >= capacity) {
      return false;
    }
    queue.add(task);
    if (eager) {
      run();
    }
    return true;
  }

  private final class FakeAppender implements LogAppender {

    private final FakeLog log;
    private final AppendListener listener;
    private boolean detached;

    private FakeAppender(FakeLog log, AppendListener listener) {
      this.log = log;
      this.listener = listener;
    }

    @Override
    public boolean tryAppend(AppendRequest request, AppendCallback callback) {
      return offer(
          () -> {
            if (detached) {
              callback.onResult(
                  new AppendResult.Failed(new RejectedAppendException("the log is detached")));
              return;
            }
            AppendResult result = log.append(request);
            listener.onAppended(log);
            callback.onResult(result);
          });
    }

    @Override
    public void whenWritable(Runnable action) {
      FakePipeline.this.whenWritable(action);
    }

    @Override
    public <T> CompletableFuture<T> execute(WriterTask<T> task) {
      CompletableFuture<T> future = new CompletableFuture<>();
      boolean taken =
          !detached
              && offer(
                  () -> {
                    try {
                      future.complete(task.run(log));
                    } catch (Exception e) {
                      future.completeExceptionally(e);
                    }
                  });
      if (!taken) {
        future.completeExceptionally(new RejectedAppendException("full"));
      }
      return future;
    }

    @Override
    public CompletableFuture<Void> detach() {
      run();
      detached = true;
      return CompletableFuture.completedFuture(null);
    }
  }
}
