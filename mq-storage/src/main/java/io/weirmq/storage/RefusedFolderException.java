package io.weirmq.storage;

/**
 * A data folder that is in order and must not be used: another process has it open, or it belongs
 * to another broker or cluster. Nothing that time or a new disk would mend; an operator has to
 * decide.
 */
public final class RefusedFolderException extends StorageException {

  private static final long serialVersionUID = 1L;

  /** Makes an exception with a message for an operator. */
  public RefusedFolderException(String message) {
    super(message);
  }

  /** Makes an exception with a message for an operator and the failure behind it. */
  public RefusedFolderException(String message, Throwable cause) {
    super(message, cause);
  }
}
