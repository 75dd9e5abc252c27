package io.weirmq.index;

import java.io.IOException;

/** An index file breaks its format; it is to be made anew from the log. */
public final class CorruptIndexException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Makes the exception; the message names the file, what was expected and what was found. */
  public CorruptIndexException(String message) {
    super(message);
  }
}
