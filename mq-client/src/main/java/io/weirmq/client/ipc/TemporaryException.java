package io.weirmq.client.ipc;

import java.io.IOException;

/** A broker has answered that the same question is worth asking again. */
final class TemporaryException extends IOException {

  private static final long serialVersionUID = 1;

  TemporaryException(String message) {
    super(message);
  }
}
