package io.weirmq.storage;

import java.util.concurrent.CompletableFuture;

/** Runs tasks on the thread of a log's writer, such as {@link LogAppender#execute}. */
@FunctionalInterface
public interface WriterExecutor {

  /** Runs a task, see {@link LogAppender#execute}. */
  <T> CompletableFuture<T> execute(LogAppender.WriterTask<T> task);
}
