package io.weirmq.replication.metadata.internal;

/** A metadata text can't be taken for what was written; says at which line and byte, and why. */
public final class DamagedMetadataException extends Exception {

  private static final long serialVersionUID = 1L;

  /** Makes the exception; the message names position, what was expected and what was found. */
  public DamagedMetadataException(String message) {
    super(message);
  }
}
