package io.weirmq.replication.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class TopicIdsTest {

  @Test
  void theTextIsUrlSafeBase64WithoutPadding() {
    UUID id = UUID.fromString("fbf00000-0000-4000-8000-00000000003f");

    assertThat(TopicIds.toText(id)).isEqualTo("-_AAAAAAQACAAAAAAAAAPw");
    assertThat(TopicIds.fromText("-_AAAAAAQACAAAAAAAAAPw")).isEqualTo(id);
    assertThat(TopicIds.toText(TopicIds.ZERO)).isEqualTo("AAAAAAAAAAAAAAAAAAAAAA");
  }

  @Test
  void randomIdsDoNotLookLikeOptions() {
    for (int i = 0; i < 1000; i++) {
      assertThat(TopicIds.toText(TopicIds.random())).hasSize(22).doesNotStartWith("-");
    }
  }

  @Test
  void otherTextsAreRefused() {
    assertThatThrownBy(() -> TopicIds.fromText("AAAA"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3 bytes, expected 16");
    assertThatThrownBy(() -> TopicIds.fromText("not base64!"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
