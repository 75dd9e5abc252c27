package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.LogAppender.WriterTask;
import io.weirmq.storage.RejectedAppendException;
import java.util.concurrent.CompletableFuture;

/** A task for the writer, with the future that tells its outcome. */
final class QueuedTask<T> {

  private final LogChannel channel;
  private final WriterTask<T> task;
  private final CompletableFuture<T> outcome = new CompletableFuture<>();

  QueuedTask(LogChannel channel, WriterTask<T> task) {
    this.channel = channel;
    this.task = task;
  }

  LogChannel channel() {
    return channel;
  }

  CompletableFuture<T> outcome() {
    return outcome;
  }

  /** Runs the task on the writer's thread. An error is told to the future and thrown on. */
  void run() {
    if (channel.isReleased()) {
      fail(channel.detachedRefusal());
      return;
    }
    T value;
    try {
      value = task.run(channel.target());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      outcome.completeExceptionally(e);
      return;
    } catch (Exception e) {
      outcome.completeExceptionally(e);
      return;
    } catch (Error e) {
      outcome.completeExceptionally(e);
      throw e;
    }
    outcome.complete(value);
  }

  void fail(RejectedAppendException cause) {
    outcome.completeExceptionally(cause);
  }
}
