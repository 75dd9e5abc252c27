package io.weirmq.protocol;

import java.io.Serial;

/** The caller asked for a version of a message that does not exist. */
public final class UnsupportedVersionException extends IllegalArgumentException {

  @Serial private static final long serialVersionUID = 1L;

  /** Makes one that names the message, the version and the range. */
  public UnsupportedVersionException(String messageName, int version, int lowest, int highest) {
    super(
        "%s has no version %d; versions are %d to %d"
            .formatted(messageName, version, lowest, highest));
  }
}
