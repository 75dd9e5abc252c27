package io.weirmq.storage.internal.compact;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The hash of keys against the vectors that its authors publish with their reference code. */
class KeyHashTest {

  private static final long SECRET_0 = 0x0706050403020100L;
  private static final long SECRET_1 = 0x0f0e0d0c0b0a0908L;

  private static String hash(int length, ByteBuffer bytes, int position) {
    KeyHash hash = new KeyHash(SECRET_0, SECRET_1);
    hash.of(bytes, position, length);
    return "%016x%016x".formatted(Long.reverseBytes(hash.high()), Long.reverseBytes(hash.low()));
  }

  private static ByteBuffer counting(int offset, ByteBuffer target) {
    for (int i = offset; i < target.capacity(); i++) {
      target.put(i, (byte) (i - offset));
    }
    return target;
  }

  @Test
  void agreesWithThePublishedVectors() {
    ByteBuffer bytes = counting(0, ByteBuffer.allocate(64));
    assertThat(hash(0, bytes, 0)).isEqualTo("a3817f04ba25a8e66df67214c7550293");
    assertThat(hash(1, bytes, 0)).isEqualTo("da87c1d86b99af44347659119b22fc45");
  }

  @Test
  void hashesTheSameBytesAlike_whereverTheyLie() {
    for (int length = 0; length < 40; length++) {
      String expected = hash(length, counting(0, ByteBuffer.allocate(64)), 0);
      assertThat(hash(length, counting(5, ByteBuffer.allocateDirect(64)), 5)).isEqualTo(expected);
      assertThat(hash(length + 1, counting(0, ByteBuffer.allocate(64)), 0)).isNotEqualTo(expected);
    }
  }

  @Test
  void dependsOnTheSecret() {
    ByteBuffer bytes = counting(0, ByteBuffer.allocate(8));
    KeyHash one = new KeyHash(1, 2);
    KeyHash other = new KeyHash(1, 3);
    one.of(bytes, 0, 8);
    other.of(bytes, 0, 8);
    assertThat(one.high()).isNotEqualTo(other.high());
    assertThat(one.low()).isNotEqualTo(other.low());
  }
}
