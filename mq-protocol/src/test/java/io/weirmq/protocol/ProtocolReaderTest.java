package io.weirmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProtocolReaderTest {

  private static ProtocolReader reader(String hex) {
    return new ProtocolReader(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
  }

  @Test
  void readsNumbersBigEndian() throws ProtocolException {
    ProtocolReader reader =
        reader("ff" + "fffe" + "fffe" + "fffffffd" + "fffffffd" + "fffffffffffffffc" + "01" + "00");

    assertThat(reader.readInt8("f")).isEqualTo((byte) -1);
    assertThat(reader.readInt16("f")).isEqualTo((short) -2);
    assertThat(reader.readUint16("f")).isEqualTo(0xFFFE);
    assertThat(reader.readInt32("f")).isEqualTo(-3);
    assertThat(reader.readUint32("f")).isEqualTo(0xFFFF_FFFDL);
    assertThat(reader.readInt64("f")).isEqualTo(-4);
    assertThat(reader.readBoolean("f")).isTrue();
    assertThat(reader.readBoolean("f")).isFalse();
    assertThat(reader.remaining()).isZero();
  }

  @Test
  void readsDoublesAndIds() throws ProtocolException {
    ProtocolReader reader =
        reader("3ff8000000000000" + "00112233445566778899aabbccddeeff" + "00".repeat(16));

    assertThat(reader.readFloat64("f")).isEqualTo(1.5);
    assertThat(reader.readUuid("f"))
        .isEqualTo(UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"));
    assertThat(reader.readUuid("f")).isSameAs(Uuids.ZERO);
  }

  @ParameterizedTest
  @CsvSource({"00,0", "7f,127", "8001,128", "ac02,300", "ffffffff07,2147483647", "ffffffff0f,-1"})
  void readsVarints(String hex, int expected) throws ProtocolException {
    assertThat(reader(hex).readUnsignedVarint("f")).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "80", "8080808080", "ffffffff10", "ffffffff7f", "ffffffffffff01"})
  void refusesVarintsThatAreCutShortOrTooLong(String hex) {
    assertThatThrownBy(() -> reader(hex).readUnsignedVarint("Topic.Name"))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("field Topic.Name at position");
  }

  @Test
  void readsStringsOfBothForms() throws ProtocolException {
    ProtocolReader reader = reader("0003" + "616263" + "04" + "616263" + "0000" + "01" + "03c3a9");

    assertThat(reader.readString("f", false)).isEqualTo("abc");
    assertThat(reader.readString("f", true)).isEqualTo("abc");
    assertThat(reader.readString("f", false)).isEmpty();
    assertThat(reader.readString("f", true)).isEmpty();
    assertThat(reader.readString("f", true)).isEqualTo("é");
  }

  @Test
  void readsNullOnlyWhereItIsAllowed() throws ProtocolException {
    assertThat(reader("ffff").readNullableString("f", false)).isNull();
    assertThat(reader("00").readNullableName("f", true)).isNull();
    assertThat(reader("ffffffff").readNullableBytes("f", false)).isNull();
    assertThat(reader("00").readNullableRecords("f", true)).isNull();
    assertThat(reader("ffffffff").readNullableArrayCount("f", false, 1)).isEqualTo(-1);
    assertThat(reader("ff").readStructMarker("f")).isFalse();
    assertThat(reader("01").readStructMarker("f")).isTrue();
    assertThatThrownBy(() -> reader("ffff").readString("f", false))
        .hasMessageContaining("expected a value, found null");
    assertThatThrownBy(() -> reader("00").readBytes("f", true))
        .hasMessageContaining("expected a value, found null");
    assertThatThrownBy(() -> reader("00").readRecords("f", true))
        .hasMessageContaining("expected a value, found null");
    assertThatThrownBy(() -> reader("00").readArrayCount("f", true, 1))
        .hasMessageContaining("expected a value, found null");
  }

  @ParameterizedTest
  @ValueSource(strings = {"03c328", "0380bf", "04e282ff", "03c0af", "04eda080"})
  void refusesStringsThatAreNotUtf8(String hex) {
    assertThatThrownBy(() -> reader(hex).readString("Topic.Name", true))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("Topic.Name at position 1: expected a string in UTF-8");
  }

  @Test
  void refusesLengthsBeyondTheEnd() {
    assertThatThrownBy(() -> reader("7fff61").readString("f", false))
        .isInstanceOf(ProtocolException.class)
        .hasMessage(
            "frame: field f at position 0: expected a length within the 1 bytes that remain,"
                + " found 32767");
    assertThatThrownBy(() -> reader("7fffffff61").readBytes("f", false))
        .isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> reader("ffffffff0761").readRecords("f", true))
        .isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> reader("fffffffe").readNullableBytes("f", false))
        .hasMessageContaining("expected a length of -1 or more, found -2");
    assertThatThrownBy(() -> reader("fffe").readNullableString("f", false))
        .hasMessageContaining("expected a length of -1 or more, found -2");
  }

  @Test
  void refusesCountsWhoseElementsCannotBeThere() throws ProtocolException {
    assertThat(reader("00000002" + "0000000000000000").readArrayCount("f", false, 4)).isEqualTo(2);
    assertThatThrownBy(() -> reader("00000003" + "0000000000000000").readArrayCount("f", false, 4))
        .isInstanceOf(ProtocolException.class)
        .hasMessage(
            "frame: field f at position 0: expected an array within the 8 bytes that remain,"
                + " found 3 elements of at least 4 bytes");
    assertThatThrownBy(() -> reader("7fffffff").readArrayCount("f", false, 16))
        .isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> reader("80000000").readArrayCount("f", false, 1))
        .isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> reader("ffffffff0f").readNullableArrayCount("f", true, 1))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void skipsTaggedFieldsAndRefusesSizesBeyondTheEnd() throws ProtocolException {
    ProtocolReader reader = reader("02" + "0002aabb" + "c80100" + "55");
    reader.skipTaggedFields("Topic");
    assertThat(reader.readInt8("f")).isEqualTo((byte) 0x55);

    assertThatThrownBy(() -> reader("01" + "0003aabb").skipTaggedFields("Topic"))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("found 3 bytes");
    assertThatThrownBy(() -> reader("ffffffff0f" + "00").skipTaggedFields("Topic"))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("found 4294967295 of them");
  }

  @Test
  void recordsAreSlicesAndBytesAreCopies() throws ProtocolException {
    ByteBuffer frame = ByteBuffer.wrap(HexFormat.of().parseHex("03aabb" + "03ccdd"));
    ProtocolReader reader = new ProtocolReader(frame);
    RecordsData records = reader.readRecords("f", true);
    byte[] bytes = reader.readBytes("f", true);

    frame.put(1, (byte) 0x11).put(4, (byte) 0x22);

    assertThat(((RecordsData.Buffers) records).buffers().get(0).get(0)).isEqualTo((byte) 0x11);
    assertThat(bytes).isEqualTo(HexFormat.of().parseHex("ccdd"));
    assertThat(frame.position()).isZero();
  }

  @Test
  void readsFromThePositionToTheLimit() throws ProtocolException {
    ByteBuffer frame = ByteBuffer.wrap("xxabcyy".getBytes(StandardCharsets.US_ASCII));
    frame.position(2).limit(5);
    ProtocolReader reader = new ProtocolReader(frame);

    assertThat(reader.remaining()).isEqualTo(3);
    assertThat(reader.readInt8("f")).isEqualTo((byte) 'a');
    assertThatThrownBy(() -> reader.readInt32("f"))
        .hasMessageContaining("at position 3: expected 4 bytes, found 2 bytes");
  }

  @Test
  void saysWhichMessageIsWrong() throws ProtocolException {
    ProtocolReader reader = reader("00");
    reader.beginMessage("FetchRequest", (short) 12, (short) 4, (short) 18);

    assertThatThrownBy(() -> reader.readInt32("FetchRequest.MaxWaitMs"))
        .hasMessage(
            "FetchRequest v12: field FetchRequest.MaxWaitMs at position 0: expected 4 bytes, found"
                + " 1 bytes");
    assertThatThrownBy(reader::endMessage)
        .hasMessage("FetchRequest v12: the message ends at position 0, but 1 more bytes follow");
    assertThatThrownBy(() -> reader.beginMessage("FetchRequest", (short) 3, (short) 4, (short) 18))
        .hasMessage("FetchRequest has no version 3; versions are 4 to 18");
  }
}
