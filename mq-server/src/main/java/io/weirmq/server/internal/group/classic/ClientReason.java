package io.weirmq.server.internal.group.classic;

import org.jspecify.annotations.Nullable;

/** Makes what a client says of its reasons fit for the log. Stateless. */
final class ClientReason {

  private static final int SHOWN_CHARS_MAX = 255;

  private ClientReason() {}

  /** The reason in brackets, cut and without control characters; empty where there is none. */
  static String shown(@Nullable String reason) {
    if (reason == null || reason.isBlank()) {
      return "";
    }
    String cut = reason.substring(0, Math.min(reason.length(), SHOWN_CHARS_MAX));
    return " (client says: " + cut.replaceAll("\\p{Cntrl}", " ") + ")";
  }
}
