package io.weirmq.storage;

import java.util.concurrent.CompletableFuture;

/** The way into one log: hands work to the log's single writer. Safe for use by several threads. */
public interface LogAppender {

  /**
   * Validates a batch on the calling thread and, where it is sound, queues it for the writer.
   *
   * <p>The callback is called exactly once where true is returned: for a refused batch at once on
   * the calling thread, otherwise on the writer's thread once the records are readable and as
   * durable as the log's flush policy asks for. Where the pipeline is closed or the log detached,
   * it is told a {@link RejectedAppendException} at once.
   *
   * @param request its buffer is borrowed until the callback is called
   * @return false where the queue is full, or too many appends of this log wait for the disk:
   *     nothing happened, and the caller stops reading from its client until {@link #whenWritable}
   *     fires
   */
  boolean tryAppend(AppendRequest request, AppendCallback callback);

  /**
   * Appends as {@link #tryAppend} does, with the outcome as a future: for programs that count their
   * appends in thousands per second, since each costs an allocation or two.
   *
   * @param request its buffer is borrowed until the future is complete
   * @return completes with the result; a full queue, a closed pipeline and a detached log are
   *     {@link AppendResult.Failed} with a {@link RejectedAppendException}
   */
  default CompletableFuture<AppendResult> append(AppendRequest request) {
    CompletableFuture<AppendResult> outcome = new CompletableFuture<>();
    if (!tryAppend(request, outcome::complete)) {
      outcome.complete(
          new AppendResult.Failed(new RejectedAppendException("the append queue is full")));
    }
    return outcome;
  }

  /**
   * Runs an action once this log may take appends again; at once where it may, or where the
   * pipeline has ended. For connections that stopped reading because an append was not taken.
   *
   * @param action called on the writer's thread or the calling one; must not block
   */
  void whenWritable(Runnable action);

  /**
   * Runs a task on the writer's thread, after all appends queued before.
   *
   * @return completes with the task's result or its exception; with {@link RejectedAppendException}
   *     where the queue is full or closed
   */
  <T> CompletableFuture<T> execute(WriterTask<T> task);

  /**
   * Gives the log back to its owner: what was queued before is handled, what is asked for later
   * fails with {@link RejectedAppendException}. Never refused for want of room in the queue.
   *
   * @return completes once no thread of the pipeline touches the log any more; at once where the
   *     log was detached before or the pipeline is closed
   */
  CompletableFuture<Void> detach();

  /** A task for the writer's thread. */
  @FunctionalInterface
  interface WriterTask<T> {

    /** Does the work; an exception fails this task only. */
    T run(LogWriter writer) throws Exception;
  }
}
