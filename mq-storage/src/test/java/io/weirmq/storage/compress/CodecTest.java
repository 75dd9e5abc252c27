package io.weirmq.storage.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.CompressionType;
import io.weirmq.storage.record.KafkaBatches;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.xerial.snappy.Snappy;

class CodecTest {

  private final BufferPool pool = new BufferPool();
  private final Decompressor decompressor = new Decompressor(pool, 50_000_000);
  private final Compressor compressor = new Compressor(pool);

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void whatIsCompressedComesOutAgain(CompressionType codec) throws Exception {
    for (int seed = 0; seed < 30; seed++) {
      byte[] content = content(new Random(seed), seed * seed * 700);
      byte[] compressed = compress(codec, content);

      assertThat(decompress(codec, ByteBuffer.wrap(compressed)))
          .as("seed %d", seed)
          .isEqualTo(content);
      ByteBuffer direct = ByteBuffer.allocateDirect(compressed.length + 3);
      direct.position(3).put(compressed).position(3);
      assertThat(decompress(codec, direct)).as("direct, seed %d", seed).isEqualTo(content);
      assertThat(direct.position()).isEqualTo(3);
    }
  }

  @Test
  @DisplayName("CC-04 Snappy as one plain block, as librdkafka and others write it")
  void cc04_snappyPlainBlock() throws Exception {
    byte[] content = content(new Random(1), 300_000);
    assertThat(decompress(CompressionType.SNAPPY, ByteBuffer.wrap(Snappy.compress(content))))
        .isEqualTo(content);
    // A golden block: length 5, one literal of 5 bytes.
    assertThat(
            decompress(
                CompressionType.SNAPPY, ByteBuffer.wrap(KafkaBatches.hex("05 10 68656c6c6f"))))
        .isEqualTo("hello".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  @DisplayName("CC-04 Snappy in xerial frames, also several of them glued together")
  void cc04_snappyXerialFrames() throws Exception {
    byte[] golden =
        KafkaBatches.hex(
            "82 534e41505059 00 00000001 00000001 00000007 05 10 68656c6c6f"
                + "00000007 05 10 776f726c64");
    assertThat(decompress(CompressionType.SNAPPY, ByteBuffer.wrap(golden)))
        .isEqualTo("helloworld".getBytes(StandardCharsets.UTF_8));
    byte[] twice = Arrays.copyOf(golden, 2 * golden.length);
    System.arraycopy(golden, 0, twice, golden.length, golden.length);
    assertThat(decompress(CompressionType.SNAPPY, ByteBuffer.wrap(twice)))
        .isEqualTo("helloworldhelloworld".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  @DisplayName("CC-04 LZ4 frames with every block size and checksum that clients set")
  void cc04_lz4Frames() throws Exception {
    byte[] content = content(new Random(2), 3_000_000);
    for (var size : LZ4FrameOutputStream.BLOCKSIZE.values()) {
      ByteArrayOutputStream target = new ByteArrayOutputStream();
      try (OutputStream output =
          new LZ4FrameOutputStream(
              target,
              size,
              content.length,
              LZ4FrameOutputStream.FLG.Bits.BLOCK_INDEPENDENCE,
              LZ4FrameOutputStream.FLG.Bits.BLOCK_CHECKSUM,
              LZ4FrameOutputStream.FLG.Bits.CONTENT_SIZE,
              LZ4FrameOutputStream.FLG.Bits.CONTENT_CHECKSUM)) {
        output.write(content);
      }
      byte[] frame = target.toByteArray();
      assertThat(decompress(CompressionType.LZ4, ByteBuffer.wrap(frame)))
          .as(size.name())
          .isEqualTo(content);

      frame[frame.length - 1] ^= 1;
      assertThatThrownBy(() -> decompress(CompressionType.LZ4, ByteBuffer.wrap(frame)))
          .isInstanceOf(DecompressionException.class)
          .hasMessageContaining("content checksum mismatch");
    }
  }

  @Test
  void namesWhatIsWrongWithAnLz4Frame() {
    assertMalformed(CompressionType.LZ4, "", "frame header is cut");
    assertMalformed(CompressionType.LZ4, "00000000 60 40 82", "magic is 0x00000000");
    assertMalformed(CompressionType.LZ4, "04224d18 a0 40 82", "frame version is 2");
    assertMalformed(CompressionType.LZ4, "04224d18 40 40 c0", "dependent blocks");
    assertMalformed(CompressionType.LZ4, "04224d18 60 30 00", "block size code is 3");
    assertMalformed(CompressionType.LZ4, "04224d18 60 40 83", "header checksum mismatch");
    assertMalformed(CompressionType.LZ4, "04224d18 60 40 82 ffffff7f", "block claims 2147483647");
    assertMalformed(CompressionType.LZ4, "04224d18 60 40 82 05000000 00", "block is cut");
    assertMalformed(CompressionType.LZ4, "04224d18 60 40 82", "block length is cut");
  }

  @Test
  void namesWhatIsWrongWithASnappyBlock() {
    assertMalformed(CompressionType.SNAPPY, "82534e41505059 00 00000001 000000", "header is cut");
    assertMalformed(
        CompressionType.SNAPPY,
        "82534e41505059 00 00000001 00000001 7fffffff",
        "block claims 2147483647 bytes; 0 remain");
    assertMalformed(
        CompressionType.SNAPPY,
        "82534e41505059 00 00000001 00000001 ffffffff 00",
        "block claims -1 bytes");
    // Claims 256 MiB in five bytes.
    assertMalformed(CompressionType.SNAPPY, "8080808001 00", "268,435,456");
  }

  @ParameterizedTest
  @EnumSource(value = CompressionType.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void noiseAndDamageGiveATypedException(CompressionType codec) throws Exception {
    byte[] sound = compress(codec, content(new Random(4), 5_000));
    for (int seed = 0; seed < 1_000; seed++) {
      Random random = new Random(seed);
      byte[] bytes = sound.clone();
      if (seed % 4 == 0) {
        bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      }
      for (int i = random.nextInt(5); i >= 0 && bytes.length > 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        decompress(codec, ByteBuffer.wrap(bytes));
      } catch (DecompressionException e) {
        assertThat(e.codec()).isEqualTo(codec);
        assertThat(e).hasMessageContaining(codec.configName());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void stopsAtItsLimit(CompressionType codec) throws Exception {
    byte[] compressed = compress(codec, new byte[1_000_000]);
    Decompressor tight = new Decompressor(pool, 999_999);
    assertThatThrownBy(() -> decompress(tight, codec, ByteBuffer.wrap(compressed)))
        .isInstanceOfSatisfying(
            DecompressionException.class, e -> assertThat(e.isOverLimit()).isTrue())
        .hasMessageContaining("holds more than 999999 bytes");
    Decompressor exact = new Decompressor(pool, 1_000_000);
    assertThat(decompress(exact, codec, ByteBuffer.wrap(compressed))).hasSize(1_000_000);
  }

  @Test
  void thePoolKeepsItsBoundAndItsSize() {
    BufferPool small = new BufferPool(16, 2);
    byte[] one = small.take(1);
    byte[] two = small.take(16);
    byte[] large = small.take(17);
    assertThat(one).hasSize(16);
    assertThat(large).hasSize(17);
    small.give(one);
    small.give(two);
    small.give(new byte[16]);
    small.give(large);
    assertThat(small.take(1)).isSameAs(one);
    assertThat(small.take(1)).isSameAs(two);
    assertThat(small.take(1)).isNotSameAs(one).hasSize(16);
  }

  private void assertMalformed(CompressionType codec, String hex, String message) {
    assertThatThrownBy(() -> decompress(codec, ByteBuffer.wrap(KafkaBatches.hex(hex))))
        .isInstanceOfSatisfying(
            DecompressionException.class, e -> assertThat(e.isOverLimit()).isFalse())
        .hasMessageContaining(message);
  }

  private byte[] compress(CompressionType codec, byte[] content) throws IOException {
    ByteArrayOutputStream target = new ByteArrayOutputStream();
    try (OutputStream output = compressor.open(codec, target)) {
      output.write(content);
    }
    return target.toByteArray();
  }

  private byte[] decompress(CompressionType codec, ByteBuffer block) throws DecompressionException {
    return decompress(decompressor, codec, block);
  }

  private static byte[] decompress(Decompressor by, CompressionType codec, ByteBuffer block)
      throws DecompressionException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    byte[] piece = new byte[1013];
    try (DecompressedInput input = by.open(codec, block)) {
      for (int n = input.read(piece, 0, piece.length);
          n > 0;
          n = input.read(piece, 0, piece.length)) {
        content.write(piece, 0, n);
      }
    }
    return content.toByteArray();
  }

  private static byte[] content(Random random, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : 'a' + i % 7);
    }
    return bytes;
  }
}
