package io.weirmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.transport.FileSlice;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProtocolWriterTest {

  private final ProtocolWriter writer = new ProtocolWriter(1);

  private String written() {
    ByteBuffer buffer = writer.toBuffer();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void writesNumbersBigEndian() {
    writer.writeInt8((byte) -1);
    writer.writeInt16((short) -2);
    writer.writeUint16(0xFFFE);
    writer.writeInt32(-3);
    writer.writeUint32(0xFFFF_FFFDL);
    writer.writeInt64(-4);
    writer.writeBoolean(true);
    writer.writeFloat64(1.5);

    assertThat(written())
        .isEqualTo(
            "ff"
                + "fffe"
                + "fffe"
                + "fffffffd"
                + "fffffffd"
                + "fffffffffffffffc"
                + "01"
                + "3ff8000000000000");
  }

  @ParameterizedTest
  @CsvSource({"0,00", "127,7f", "128,8001", "300,ac02", "2147483647,ffffffff07", "-1,ffffffff0f"})
  void writesVarintsInTheirShortestForm(int value, String hex) {
    writer.writeUnsignedVarint(value);

    assertThat(written()).isEqualTo(hex);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0x10000})
  void refusesWhatIsNoUint16(int value) {
    assertThatThrownBy(() -> writer.writeUint16(value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("found " + value);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0x1_0000_0000L})
  void refusesWhatIsNoUint32(long value) {
    assertThatThrownBy(() -> writer.writeUint32(value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("found " + value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "abc", "é", "aé", "\u20ac", "x\uD83D\uDE00y", "\u007f\u0080", "\u07ff\u0800"})
  void writesStringsAsUtf8(String text) {
    writer.writeString(text, false);

    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    assertThat(written())
        .isEqualTo("%04x".formatted(encoded.length) + HexFormat.of().formatHex(encoded));
  }

  /**
   * The JDK writes a question mark for half a character, and so does every other client in Java.
   */
  @ParameterizedTest
  @ValueSource(strings = {"\uD83D", "\uDE00", "a\uD83Db", "\uDE00\uD83D", "é\uD83D"})
  void writesHalfACharacterAsTheJdkDoes(String text) {
    writer.writeString(text, true);

    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    assertThat(written())
        .isEqualTo("%02x".formatted(encoded.length + 1) + HexFormat.of().formatHex(encoded));
  }

  @Test
  void refusesStringsThatTheOldLengthCannotSay() {
    String longest = "a".repeat(Short.MAX_VALUE);
    writer.writeString(longest, false);

    assertThatThrownBy(() -> writer.writeString(longest + "a", false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("32768 bytes");
    writer.writeString(longest + "a", true);
    assertThat(writer.lengthBytes()).isEqualTo(2 + 32767 + 3 + 32768);
  }

  @Test
  void writesNulls() {
    writer.writeNullableString(null, false);
    writer.writeNullableString(null, true);
    writer.writeNullableBytes(null, false);
    writer.writeNullableBytes(null, true);
    writer.writeNullableRecords(null, false);
    writer.writeNullArray(true);
    writer.writeStructMarker(false);

    assertThat(written()).isEqualTo("ffff" + "00" + "ffffffff" + "00" + "ffffffff" + "00" + "ff");
  }

  /** A tag's size takes one to three bytes here; its content moves when it is more than one. */
  @ParameterizedTest
  @CsvSource({"0,00", "127,7f", "128,8001", "16383,ff7f", "16384,808001"})
  void putsTheSizeBeforeATaggedField(int size, String sizeHex) {
    writer.writeInt8((byte) 0x55);
    int outer = writer.beginTag(3);
    int inner = writer.beginTag(1);
    for (int i = 0; i < size; i++) {
      writer.writeInt8((byte) i);
    }
    writer.endTag(inner);
    writer.endTag(outer);
    writer.writeInt8((byte) 0x66);

    byte[] content = new byte[size];
    for (int i = 0; i < size; i++) {
      content[i] = (byte) i;
    }
    String innerHex = "01" + sizeHex + HexFormat.of().formatHex(content);
    assertThat(written()).isEqualTo("55" + "03" + varint(innerHex.length() / 2) + innerHex + "66");
  }

  private static String varint(int value) {
    ProtocolWriter other = new ProtocolWriter();
    other.writeUnsignedVarint(value);
    ByteBuffer buffer = other.toBuffer();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void putsRecordsBetweenTheBytesAroundThem(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("log"), new byte[] {1, 2, 3, 4, 5});
    AtomicInteger released = new AtomicInteger();
    ByteBuffer memory = ByteBuffer.wrap(new byte[] {9, 8, 7}, 1, 2);
    try (FileChannel channel = FileChannel.open(file)) {
      FileSlice slice = new FileSlice(channel, 1, 3, released::incrementAndGet);
      writer.writeInt8((byte) 0x11);
      writer.writeRecords(RecordsData.of(memory), true);
      writer.writeRecords(RecordsData.of(slice), false);
      writer.writeInt8((byte) 0x22);
      assertThat(writer.lengthBytes()).isEqualTo(1 + 1 + 2 + 4 + 3 + 1);

      OutboundFrame frame = writer.toFrame(released::incrementAndGet);

      List<OutboundPart> parts = frame.parts();
      assertThat(parts).hasSize(5);
      assertThat(hex(parts.get(0))).isEqualTo("1103");
      assertThat(hex(parts.get(1))).isEqualTo("0807");
      assertThat(hex(parts.get(2))).isEqualTo("00000003");
      assertThat(parts.get(3)).isSameAs(slice);
      assertThat(hex(parts.get(4))).isEqualTo("22");
      assertThat(memory.position()).as("the caller's buffer").isEqualTo(1);
      frame.release();
      assertThat(released).hasValue(2);
    }
  }

  private static String hex(OutboundPart part) {
    ByteBuffer buffer = ((OutboundPart.Bytes) part).buffer().duplicate();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void keepsEarlierPartsWhenItGrows() {
    Random random = new Random(3);
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      byte[] bytes = new byte[random.nextInt(100)];
      random.nextBytes(bytes);
      writer.writeBytes(bytes, false);
      expected.append("%08x".formatted(bytes.length)).append(HexFormat.of().formatHex(bytes));
      if (i % 10 == 0) {
        writer.writeRecords(RecordsData.of(ByteBuffer.wrap(bytes)), false);
        expected.append("%08x".formatted(bytes.length)).append(HexFormat.of().formatHex(bytes));
      }
    }

    assertThat(written()).isEqualTo(expected.toString());
  }

  @Test
  void doesNotReadFilesIntoABuffer(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("log"), new byte[] {1});
    try (FileChannel channel = FileChannel.open(file)) {
      writer.writeRecords(RecordsData.of(new FileSlice(channel, 0, 1, () -> {})), true);

      assertThatThrownBy(writer::toBuffer).isInstanceOf(IllegalStateException.class);
    }
  }
}
