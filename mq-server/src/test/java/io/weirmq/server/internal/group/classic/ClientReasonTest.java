package io.weirmq.server.internal.group.classic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What clients say goes into the log, but must not shape it. */
class ClientReasonTest {

  @Test
  void aReasonIsShownCutAndOnOneLine() {
    assertThat(ClientReason.shown(null)).isEmpty();
    assertThat(ClientReason.shown(" ")).isEmpty();
    assertThat(ClientReason.shown("poll timeout")).isEqualTo(" (client says: poll timeout)");
    assertThat(ClientReason.shown("a\r\nERROR b\u0000")).isEqualTo(" (client says: a  ERROR b )");
    assertThat(ClientReason.shown("x".repeat(300)))
        .isEqualTo(" (client says: " + "x".repeat(255) + ")");
  }
}
