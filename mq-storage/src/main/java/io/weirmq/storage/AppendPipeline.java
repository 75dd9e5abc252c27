package io.weirmq.storage;

/**
 * The write path: a ring buffer in front of one writer thread that serves many logs.
 *
 * <pre>
 *   callers --validate--&gt; ring --&gt; writer thread: idempotence, offsets, write, index, roll
 *                                                 --&gt; flush (group commit) --&gt; listeners --&gt; callbacks
 * </pre>
 *
 * <p>A log is attached to one pipeline at a time. Safe for use by several threads.
 */
public interface AppendPipeline extends AutoCloseable {

  /**
   * Makes this pipeline's thread the single writer of a log.
   *
   * @param listener told of growth, see {@link AppendListener}
   */
  LogAppender attach(PartitionLog log, AppendListener listener);

  /**
   * Runs an action once the ring has room again; at once where it has, or where the pipeline has
   * ended. For connections that stopped reading because an append was not taken. A full ring is the
   * only reason to call this, see {@link RejectedAppendException#isFull()}.
   *
   * @param action called on the writer's thread or the calling one; must not block
   */
  void whenWritable(Runnable action);

  /**
   * Takes nothing more, handles what is queued, and returns when the thread has ended. Each queued
   * append gets its callback. Closing again does nothing.
   */
  @Override
  void close();
}
