package io.weirmq.storage.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.CompressionType;
import io.weirmq.storage.compress.Decompressor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordBatchTest {

  /**
   * Written by kafka-clients 4.3.1: base offset 42, leader epoch 7, producer 1001, epoch 3,
   * sequence 5, transactional; records (ts 1000, k1, v1, header h=x) and (ts 1005, null, v2).
   */
  private static final String GOLDEN =
      "000000000000002a 00000049 00000007 02 2629a44e 0010 00000001"
          + "00000000000003e8 00000000000003ed 00000000000003e9 0003 00000005 00000002"
          + "1c 00 00 00 04 6b31 04 7631 02 02 68 02 78"
          + "10 00 0a 02 01 04 7632 00";

  private static ByteBuffer golden() {
    return ByteBuffer.wrap(KafkaBatches.hex(GOLDEN));
  }

  @Test
  void readsEveryFieldOfAGoldenBatch() {
    RecordBatch batch = RecordBatch.of(golden());

    assertThat(batch.baseOffset()).isEqualTo(42);
    assertThat(batch.partitionLeaderEpoch()).isEqualTo(7);
    assertThat(batch.magic()).isEqualTo((byte) 2);
    assertThat(batch.isTransactional()).isTrue();
    assertThat(batch.isControl()).isFalse();
    assertThat(batch.isCompressed()).isFalse();
    assertThat(batch.isLogAppendTime()).isFalse();
    assertThat(batch.hasDeleteHorizon()).isFalse();
    assertThat(batch.lastOffsetDelta()).isEqualTo(1);
    assertThat(batch.lastOffset()).isEqualTo(43);
    assertThat(batch.nextOffset()).isEqualTo(44);
    assertThat(batch.baseTimestamp()).isEqualTo(1000);
    assertThat(batch.maxTimestamp()).isEqualTo(1005);
    assertThat(batch.producerId()).isEqualTo(1001);
    assertThat(batch.producerEpoch()).isEqualTo((short) 3);
    assertThat(batch.baseSequence()).isEqualTo(5);
    assertThat(batch.lastSequence()).isEqualTo(6);
    assertThat(batch.recordCount()).isEqualTo(2);
    assertThat(batch.isWhole()).isTrue();
    assertThat(batch.isCrcValid()).isTrue();
  }

  @Test
  void readsTheRecordsOfAGoldenBatch() throws Exception {
    assertThat(StoredRecord.readAll(golden(), new Decompressor()))
        .containsExactly(
            new StoredRecord(
                42, 1000, bytes("k1"), bytes("v1"), List.of(new RecordHeader("h", bytes("x")))),
            new StoredRecord(43, 1005, null, bytes("v2"), List.of()));
  }

  @Test
  void buildsTheGoldenBatch() {
    ByteBuffer built =
        new RecordBatchBuilder()
            .baseOffset(42)
            .leaderEpoch(7)
            .producer(1001, (short) 3, 5)
            .transactional()
            .append(1000, bytes("k1"), bytes("v1"), List.of(new RecordHeader("h", bytes("x"))))
            .append(1005, null, bytes("v2"))
            .build();

    assertThat(built).isEqualTo(golden());
  }

  @Test
  void offsetsAndLeaderEpochAreSetInPlaceUnderTheSameChecksum() {
    RecordBatch batch = RecordBatch.of(golden());
    batch.baseOffset(1L << 40);
    batch.partitionLeaderEpoch(99);

    assertThat(batch.baseOffset()).isEqualTo(1L << 40);
    assertThat(batch.lastOffset()).isEqualTo((1L << 40) + 1);
    assertThat(batch.partitionLeaderEpoch()).isEqualTo(99);
    assertThat(batch.isCrcValid()).isTrue();
  }

  @Test
  void settingTheTimestampRedoesTheChecksum() {
    ByteBuffer buffer = golden();
    RecordBatch batch = RecordBatch.of(buffer);
    int before = batch.crc();
    batch.maxTimestamp(true, 123_456);

    assertThat(batch.isLogAppendTime()).isTrue();
    assertThat(batch.isTransactional()).isTrue();
    assertThat(batch.crc()).isNotEqualTo(before);
    assertThat(batch.isCrcValid()).isTrue();
    assertThat(KafkaBatches.read(buffer))
        .extracting(StoredRecord::timestampMs)
        .containsExactly(123_456L, 123_456L);
  }

  @Test
  void computesTheSameChecksumOverDirectSlicedAndReadOnlyBuffers() {
    ByteBuffer heap = golden();
    ByteBuffer direct = ByteBuffer.allocateDirect(heap.limit() + 5);
    direct.put(5, heap, 0, heap.limit());
    ByteBuffer slice = ByteBuffer.allocate(heap.limit() + 3).slice(3, heap.limit());
    slice.put(0, heap, 0, heap.limit());

    int expected = RecordBatch.of(heap).crc();
    assertThat(RecordBatch.at(direct, 5).computeCrc()).isEqualTo(expected);
    assertThat(RecordBatch.of(slice).computeCrc()).isEqualTo(expected);
    assertThat(RecordBatch.of(heap.asReadOnlyBuffer()).computeCrc()).isEqualTo(expected);
    assertThat(direct.position()).isZero();
  }

  @Test
  void sequencesWrapFromTheGreatestToZero() {
    assertThat(RecordBatch.incrementSequence(Integer.MAX_VALUE, 1)).isZero();
    assertThat(RecordBatch.incrementSequence(Integer.MAX_VALUE - 1, 4)).isEqualTo(2);
    assertThat(RecordBatch.incrementSequence(RecordBatch.NO_SEQUENCE, 1)).isZero();
  }

  @Test
  void namesWhatIsWrongWithABatch() {
    ByteBuffer flipped = golden();
    flipped.put(70, (byte) (flipped.get(70) ^ 1));
    assertCorrupt(flipped, CorruptBatchException.Kind.CHECKSUM, "batch at offset 42: checksum");

    ByteBuffer old = golden().put(16, (byte) 1);
    assertCorrupt(old, CorruptBatchException.Kind.MAGIC, "magic is 1; expected 2");

    ByteBuffer cut = golden();
    cut.limit(cut.limit() - 1);
    assertCorrupt(cut, CorruptBatchException.Kind.FRAMING, "batch claims 85 bytes");

    ByteBuffer overflowing = golden().putInt(8, Integer.MAX_VALUE);
    assertCorrupt(overflowing, CorruptBatchException.Kind.FRAMING, "2147483659 bytes");
    assertThat(RecordBatch.of(overflowing).isWhole()).isFalse();
  }

  private static void assertCorrupt(
      ByteBuffer bytes, CorruptBatchException.Kind kind, String message) {
    assertThatThrownBy(() -> RecordBatch.of(bytes).ensureValid())
        .isInstanceOfSatisfying(
            CorruptBatchException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(kind);
              assertThat(e.baseOffset()).isEqualTo(42);
            })
        .hasMessageContaining(message);
  }

  @Test
  void refusesAHeaderThatIsCutAndALittleEndianBuffer() {
    ByteBuffer batch = golden();
    assertThat(RecordBatch.hasHeader(batch, batch.limit() - 60)).isFalse();
    assertThatThrownBy(() -> RecordBatch.at(batch, batch.limit() - 60))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> RecordBatch.of(golden().order(ByteOrder.LITTLE_ENDIAN)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void cursorGoesOverWholeBatchesAndEndsBeforeACutOne() throws Exception {
    ByteBuffer one = golden();
    ByteBuffer two = ByteBuffer.allocate(3 * one.limit() - 1);
    two.put(one.duplicate()).put(one.duplicate()).put(one.duplicate().limit(one.limit() - 1));
    BatchCursor cursor = new BatchCursor(two.flip());

    assertThat(cursor.next()).isTrue();
    assertThat(cursor.batch().position()).isZero();
    assertThat(cursor.next()).isTrue();
    assertThat(cursor.batch().position()).isEqualTo(one.limit());
    assertThat(cursor.next()).isFalse();
    assertThat(cursor.position()).isEqualTo(2 * one.limit());
    assertThat(cursor.remainingBytes()).isEqualTo(one.limit() - 1);
    assertThat(two.position()).isZero();
  }

  @Test
  void cursorRefusesALengthBelowAHeader() {
    ByteBuffer batch = golden().putInt(8, 48);
    assertThatThrownBy(() -> new BatchCursor(batch).next())
        .isInstanceOf(CorruptBatchException.class)
        .hasMessageContaining("60 bytes");
  }

  @Test
  void namesAnUnknownCodec() {
    ByteBuffer batch = golden().putShort(21, (short) 5);
    assertThatThrownBy(() -> RecordBatch.of(batch).compressionType())
        .isInstanceOf(CorruptBatchException.class)
        .hasMessageContaining("codec number 5");
    assertThat(CompressionType.ofId(4)).contains(CompressionType.ZSTD);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }
}
