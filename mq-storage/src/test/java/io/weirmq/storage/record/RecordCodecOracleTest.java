package io.weirmq.storage.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.CompressionType;
import io.weirmq.storage.compress.BufferPool;
import io.weirmq.storage.compress.Decompressor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches of ours are read by kafka-clients, and batches of theirs by us. */
class RecordCodecOracleTest {

  private static final long NOW_MS = 1_700_000_000_000L;

  private final Decompressor decompressor = new Decompressor();

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void readsWhatKafkaWrites(CompressionType codec) throws Exception {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      ByteBuffer batch =
          KafkaBatches.build(
              codec, KafkaBatches.randomRecords(random, 1 + random.nextInt(200), NOW_MS));

      assertThat(StoredRecord.readAll(batch, decompressor))
          .as("seed %d", seed)
          .isEqualTo(KafkaBatches.read(batch));
      assertThat(StoredRecord.readAll(direct(batch), decompressor))
          .as("direct, seed %d", seed)
          .isEqualTo(KafkaBatches.read(batch));
    }
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void kafkaReadsWhatWeWrite(CompressionType codec) throws Exception {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      List<SimpleRecord> contents =
          KafkaBatches.randomRecords(random, 1 + random.nextInt(200), NOW_MS);
      ByteBuffer batch = ours(codec, contents);

      MemoryRecords.readableRecords(batch.duplicate())
          .batches()
          .forEach(org.apache.kafka.common.record.internal.RecordBatch::ensureValid);
      List<StoredRecord> read = KafkaBatches.read(batch);
      assertThat(read).as("seed %d", seed).hasSize(contents.size());
      assertThat(StoredRecord.readAll(batch, decompressor)).as("seed %d", seed).isEqualTo(read);
      for (int i = 0; i < read.size(); i++) {
        assertThat(read.get(i).key()).isEqualTo(contents.get(i).key());
        assertThat(read.get(i).value()).isEqualTo(contents.get(i).value());
        assertThat(read.get(i).timestampMs()).isEqualTo(contents.get(i).timestamp());
      }
    }
  }

  @Test
  void uncompressedBatchesAreTheSameBytes() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<SimpleRecord> contents =
          KafkaBatches.randomRecords(random, 1 + random.nextInt(50), NOW_MS);
      assertThat(ours(CompressionType.NONE, contents))
          .as("seed %d", seed)
          .isEqualTo(KafkaBatches.build(CompressionType.NONE, contents));
    }
  }

  @Test
  void readsRecordsLargerThanTheWindow() throws Exception {
    byte[] large = new byte[700_000];
    new Random(1).nextBytes(large);
    for (CompressionType codec : CompressionType.values()) {
      ByteBuffer batch =
          KafkaBatches.build(
              codec,
              List.of(
                  new SimpleRecord(NOW_MS, "a".getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                  new SimpleRecord(NOW_MS, large),
                  new SimpleRecord(NOW_MS, large)));
      Decompressor smallPool = new Decompressor(new BufferPool(64, 4), 10_000_000);
      assertThat(StoredRecord.readAll(batch, smallPool))
          .as(codec.name())
          .isEqualTo(KafkaBatches.read(batch));
    }
  }

  @Test
  void aCursorIsUsedAgainForBatchesOfAllCodecs() throws Exception {
    try (RecordCursor cursor = new RecordCursor(decompressor)) {
      for (int round = 0; round < 3; round++) {
        for (CompressionType codec : CompressionType.values()) {
          ByteBuffer batch =
              KafkaBatches.build(codec, KafkaBatches.randomRecords(new Random(7), 20, NOW_MS));
          cursor.open(RecordBatch.of(batch));
          List<StoredRecord> records = new ArrayList<>();
          while (cursor.next()) {
            assertThat(cursor.index()).isEqualTo(records.size());
            records.add(cursor.toRecord());
          }
          assertThat(records).isEqualTo(KafkaBatches.read(batch));
          // Left in the middle, it is opened again all the same.
          cursor.open(RecordBatch.of(batch));
          assertThat(cursor.next()).isTrue();
        }
      }
    }
  }

  @Test
  void markersAreTheSameBytesAndRead() throws Exception {
    for (boolean commit : new boolean[] {true, false}) {
      var theirs =
          new org.apache.kafka.common.record.internal.EndTransactionMarker(
              commit ? ControlRecordType.COMMIT : ControlRecordType.ABORT, 12);
      ByteBuffer kafka =
          KafkaBatches.copy(
              MemoryRecords.withEndTransactionMarker(0, NOW_MS, -1, 77, (short) 4, theirs)
                  .buffer());
      EndTransactionMarker marker = new EndTransactionMarker(commit, 12);

      assertThat(RecordBatchBuilder.endTransaction(marker, 77, (short) 4, NOW_MS)).isEqualTo(kafka);
      assertThat(EndTransactionMarker.read(RecordBatch.of(kafka))).contains(marker);
    }
  }

  @Test
  void otherControlRecordsAreNoMarkers() throws Exception {
    ByteBuffer leaderChange =
        KafkaBatches.copy(
            MemoryRecords.withLeaderChangeMessage(
                    0,
                    NOW_MS,
                    1,
                    ByteBuffer.allocate(512),
                    new org.apache.kafka.common.message.LeaderChangeMessage())
                .buffer());
    assertThat(RecordBatch.of(leaderChange).isControl()).isTrue();
    assertThat(EndTransactionMarker.read(RecordBatch.of(leaderChange))).isEmpty();
    ByteBuffer data =
        KafkaBatches.build(
            CompressionType.NONE, KafkaBatches.randomRecords(new Random(1), 1, NOW_MS));
    assertThat(EndTransactionMarker.read(RecordBatch.of(data))).isEmpty();
  }

  @Test
  void aMarkerWithoutItsPartsIsCorrupt() {
    ByteBuffer batch =
        new RecordBatchBuilder()
            .producer(1, (short) 0, -1)
            .control()
            .append(NOW_MS, ByteBuffer.wrap(new byte[2]), null)
            .build();
    assertThatThrownBy(() -> EndTransactionMarker.read(RecordBatch.of(batch)))
        .isInstanceOf(CorruptBatchException.class);
  }

  @Test
  void gapsInTheOffsetsAreKept() throws Exception {
    ByteBuffer batch =
        new RecordBatchBuilder()
            .baseOffset(100)
            .appendAt(2, NOW_MS, null, null, List.of())
            .appendAt(9, NOW_MS, null, null, List.of())
            .build();
    assertThat(StoredRecord.readAll(batch, decompressor))
        .isEqualTo(KafkaBatches.read(batch))
        .extracting(StoredRecord::offset)
        .containsExactly(102L, 109L);
    assertThat(RecordBatch.of(batch).nextOffset()).isEqualTo(110);
  }

  private static ByteBuffer ours(CompressionType codec, List<SimpleRecord> contents) {
    RecordBatchBuilder builder = new RecordBatchBuilder().compression(codec);
    for (SimpleRecord record : contents) {
      List<RecordHeader> headers = new ArrayList<>();
      for (var header : record.headers()) {
        byte[] value = header.value();
        headers.add(new RecordHeader(header.key(), value == null ? null : ByteBuffer.wrap(value)));
      }
      builder.append(record.timestamp(), record.key(), record.value(), headers);
    }
    return builder.build();
  }

  private static ByteBuffer direct(ByteBuffer heap) {
    return ByteBuffer.allocateDirect(heap.remaining()).put(heap.duplicate()).flip();
  }
}
