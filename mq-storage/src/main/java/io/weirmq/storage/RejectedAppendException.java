package io.weirmq.storage;

/**
 * An append or task was not taken: the pipeline's ring is full, which passes, or the pipeline is
 * closed or the log detached, which doesn't.
 */
public final class RejectedAppendException extends StorageException {

  private static final long serialVersionUID = 1L;

  private final boolean isFull;

  /** Makes the exception for a full ring, with a message that names the pipeline. */
  public RejectedAppendException(String message) {
    this(message, true);
  }

  /**
   * Makes the exception with a message that names the pipeline and why it refused.
   *
   * @param isFull whether the ring was full, and else nothing was in the way
   */
  public RejectedAppendException(String message, boolean isFull) {
    super(message);
    this.isFull = isFull;
  }

  /**
   * Whether the ring was full, so that it is worth asking again once there is room; never ask
   * {@link AppendPipeline#whenWritable} after any other refusal.
   */
  public boolean isFull() {
    return isFull;
  }
}
