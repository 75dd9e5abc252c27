package io.weirmq.storage;

/** A task was not taken because the pipeline's ring is full or the pipeline is closed. */
public final class RejectedAppendException extends StorageException {

  private static final long serialVersionUID = 1L;

  /** Makes the exception with a message that names the pipeline and why it refused. */
  public RejectedAppendException(String message) {
    super(message);
  }
}
