package io.weirmq.server.internal.group.records;

/** A record of {@code __consumer_offsets} does not have the format that its key claims. */
public final class MalformedGroupRecordException extends Exception {

  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message what is wrong, and where in the record
   * @param cause what the decoder met
   */
  public MalformedGroupRecordException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Makes an exception.
   *
   * @param message what is wrong
   */
  public MalformedGroupRecordException(String message) {
    super(message);
  }
}
