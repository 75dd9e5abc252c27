package io.weirmq.testkit.storage;

import java.io.IOException;

/** The file system has no power any more; every operation on it and its open files fails. */
public final class PowerOffException extends IOException {

  private static final long serialVersionUID = 1L;

  PowerOffException(String operation) {
    super("power is off: " + operation);
  }
}
