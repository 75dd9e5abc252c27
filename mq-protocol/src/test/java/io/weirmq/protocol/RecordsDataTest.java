package io.weirmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordsDataTest {

  @Test
  void countsTheBytesBetweenPositionAndLimit() {
    ByteBuffer buffer = ByteBuffer.allocate(10).position(3).limit(8);

    RecordsData records = new RecordsData.Buffers(List.of(buffer, ByteBuffer.allocate(2)));

    assertThat(records.sizeInBytes()).isEqualTo(7);
    assertThat(records.isEmpty()).isFalse();
    assertThat(records).hasToString("7 bytes in memory");
  }

  @Test
  void emptyHasNoBytes() {
    assertThat(RecordsData.empty().isEmpty()).isTrue();
    assertThat(new RecordsData.Files(List.of()).sizeInBytes()).isZero();
  }

  @Test
  void isEqualByContent() {
    assertThat(RecordsData.of(ByteBuffer.wrap(new byte[] {1, 2})))
        .isEqualTo(RecordsData.of(ByteBuffer.wrap(new byte[] {0, 1, 2}, 1, 2)))
        .isNotEqualTo(RecordsData.of(ByteBuffer.wrap(new byte[] {1, 3})));
  }
}
