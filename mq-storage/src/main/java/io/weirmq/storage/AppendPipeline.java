package io.weirmq.storage;

/**
 * The write path: a ring buffer in front of one writer thread that serves many logs.
 *
 * <pre>
 *   callers --validate--&gt; ring --&gt; writer thread: idempotence, offsets, write, index, roll
 *                                                 --&gt; listeners --&gt; callbacks
 *                                        |  ^
 *                 what waits for the disk|  |on the disk
 *                                        v  |
 *                                   flush threads: one force for all that wait (group commit)
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
   * ended. For tasks that found the ring full, see {@link RejectedAppendException#isFull()}; an
   * append that was not taken may have another reason, see {@link LogAppender#whenWritable}.
   *
   * @param action called on the writer's thread or the calling one; must not block
   */
  void whenWritable(Runnable action);

  /**
   * Takes nothing more, handles what is queued, waits for the disk where appends do, and returns
   * when the writer thread has ended. Each queued append gets its callback. Closing again does
   * nothing.
   */
  @Override
  void close();
}
