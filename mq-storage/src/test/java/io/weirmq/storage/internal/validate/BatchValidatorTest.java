package io.weirmq.storage.internal.validate;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult.RecordError;
import io.weirmq.storage.AppendResult.RejectReason;
import io.weirmq.storage.AppendResult.Rejected;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.internal.ValidatedBatch;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.KafkaBatches;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.storage.record.StoredRecord;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.Snappy;

class BatchValidatorTest {

  private static final long NOW_MS = 1_700_000_000_000L;
  private static final TopicPartition PARTITION = new TopicPartition("orders", 3);
  private static final ByteBuffer KEY = ByteBuffer.wrap(new byte[] {7});
  private static final ByteBuffer VALUE = ByteBuffer.wrap(new byte[100]);

  private final BatchValidator validator = new BatchValidator();

  // ---- what is accepted ----

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void acceptsWhatKafkasClientSendsAndLeavesTheBytesAlone(CompressionType codec) {
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      int count = 1 + random.nextInt(100);
      List<SimpleRecord> records = KafkaBatches.randomRecords(random, count, NOW_MS - 200_000);
      ByteBuffer batch = KafkaBatches.build(codec, records, 9, (short) 0, seed, seed % 2 == 0);
      ByteBuffer before = KafkaBatches.copy(batch);

      ValidatedBatch valid = valid(batch, LogConfig.defaults());

      long max = records.stream().mapToLong(SimpleRecord::timestamp).max().orElseThrow();
      int first = 0;
      while (records.get(first).timestamp() != max) {
        first++;
      }
      assertThat(valid).isEqualTo(new ValidatedBatch(batch, count, max, first));
      assertThat(batch).as("seed %d", seed).isEqualTo(before);
    }
  }

  @Test
  void acceptsABatchInTheMiddleOfADirectBuffer() {
    ByteBuffer batch = good();
    ByteBuffer frame = ByteBuffer.allocateDirect(batch.limit() + 20);
    frame.position(11);
    frame.put(batch.duplicate()).limit(11 + batch.limit()).position(11);

    assertThat(valid(frame, LogConfig.defaults()).recordCount()).isEqualTo(2);
    assertThat(frame.position()).isEqualTo(11);
  }

  @Test
  void correctsAGreatestTimestampThatLies() {
    ByteBuffer batch = good();
    RecordBatch.of(batch).maxTimestamp(false, NOW_MS + 999);

    ValidatedBatch valid = valid(batch, LogConfig.defaults());

    assertThat(valid.maxTimestampMs()).isEqualTo(NOW_MS);
    assertThat(RecordBatch.of(batch).maxTimestamp()).isEqualTo(NOW_MS);
    assertThat(RecordBatch.of(batch).isCrcValid()).isTrue();
  }

  @Test
  void leavesTheAppendTimeToTheLogAndChecksNoTimestampsThen() {
    LogConfig config = config(c -> c.logAppendTime(true));
    ByteBuffer batch = new RecordBatchBuilder().append(1, KEY, VALUE).build();

    ValidatedBatch valid = valid(batch, config);

    assertThat(valid.maxTimestampMs()).isEqualTo(NOW_MS);
    assertThat(valid.maxTimestampOffsetDelta()).isZero();
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void compressesAnewWhereTheTopicHasAnotherCodec(CompressionType wanted) throws Exception {
    for (CompressionType sent : CompressionType.values()) {
      List<SimpleRecord> records = KafkaBatches.randomRecords(new Random(5), 50, NOW_MS - 200_000);
      ByteBuffer batch = KafkaBatches.build(sent, records, 9, (short) 1, 4, true);

      ValidatedBatch valid = valid(batch, config(c -> c.compressionType(Optional.of(wanted))));

      RecordBatch stored = RecordBatch.of(valid.buffer());
      assertThat(stored.compressionType()).isEqualTo(wanted);
      assertThat(stored.isCrcValid()).isTrue();
      assertThat(stored.isTransactional()).isTrue();
      assertThat(stored.producerId()).isEqualTo(9);
      assertThat(stored.baseSequence()).isEqualTo(4);
      assertThat(KafkaBatches.read(valid.buffer())).isEqualTo(KafkaBatches.read(batch));
      if (sent == wanted) {
        assertThat(valid.buffer()).isSameAs(batch);
      }
    }
  }

  @Test
  void checksTheSizeAgainOnceItIsCompressedAnew() {
    ByteBuffer batch =
        new RecordBatchBuilder()
            .compression(CompressionType.GZIP)
            .append(NOW_MS, KEY, ByteBuffer.allocate(50_000))
            .build();
    LogConfig config =
        config(c -> c.maxMessageBytes(1000).compressionType(Optional.of(CompressionType.NONE)));

    Rejected rejected = rejected(batch, config);

    assertThat(rejected.reason()).isEqualTo(RejectReason.MESSAGE_TOO_LARGE);
    assertThat(rejected.message()).contains("max.message.bytes is 1000").contains("none");
  }

  @Test
  void acceptsControlBatchesOfCoordinators() {
    ByteBuffer marker =
        RecordBatchBuilder.endTransaction(new EndTransactionMarker(true, 5), 7, (short) 0, NOW_MS);
    ValidationOutcome outcome =
        validator.validate(
            PARTITION, marker, AppendOrigin.COORDINATOR, LogConfig.defaults(), NOW_MS);
    assertThat(outcome).isInstanceOf(ValidationOutcome.Valid.class);
  }

  @Test
  @DisplayName("CC-04 Snappy as one plain block goes through untouched")
  void cc04_snappyPlainBlockGoesThrough() throws Exception {
    ByteBuffer plain =
        KafkaBatches.build(
            CompressionType.NONE, KafkaBatches.randomRecords(new Random(8), 40, NOW_MS - 200_000));
    byte[] records = new byte[plain.limit() - RecordBatch.HEADER_BYTES];
    plain.get(RecordBatch.HEADER_BYTES, records);
    byte[] block = Snappy.compress(records);
    ByteBuffer batch = ByteBuffer.allocate(RecordBatch.HEADER_BYTES + block.length);
    batch.put(plain.duplicate().limit(RecordBatch.HEADER_BYTES)).put(block).flip();
    batch.putInt(RecordBatch.LENGTH_POSITION, batch.limit() - RecordBatch.LOG_OVERHEAD_BYTES);
    batch.putShort(RecordBatch.ATTRIBUTES_POSITION, (short) CompressionType.SNAPPY.id());
    RecordBatch.of(batch).writeCrc();
    ByteBuffer before = KafkaBatches.copy(batch);

    ValidatedBatch valid = valid(batch, LogConfig.defaults());

    assertThat(valid.buffer()).isSameAs(batch).isEqualTo(before);
    assertThat(StoredRecord.readAll(batch, new Decompressor())).isEqualTo(KafkaBatches.read(plain));
  }

  // ---- framing and header ----

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 16, 17, 60})
  void refusesLessThanAHeader(int bytes) {
    ByteBuffer batch = good();
    batch.limit(bytes);
    assertRejected(batch, RejectReason.INVALID_RECORD, "%d bytes hold no batch".formatted(bytes));
  }

  @ParameterizedTest
  @ValueSource(bytes = {0, 1, 3, -1})
  void refusesOtherFormats(byte magic) {
    assertRejected(
        good().put(RecordBatch.MAGIC_POSITION, magic),
        RejectReason.INVALID_RECORD,
        "message format is %d; expected 2".formatted(magic));
  }

  @Test
  void refusesALengthThatIsNotTheOneSent() {
    ByteBuffer batch = good();
    int size = batch.limit();
    assertRejected(
        good().putInt(8, size - 12 + 1),
        RejectReason.INVALID_RECORD,
        "claims %d".formatted(size + 1));
    assertRejected(good().putInt(8, Integer.MAX_VALUE), RejectReason.INVALID_RECORD, "claims 214");
    assertRejected(good().putInt(8, 48), RejectReason.CORRUPT_MESSAGE, "claims 60 bytes");
    assertRejected(good().putInt(8, -1), RejectReason.CORRUPT_MESSAGE, "claims 11 bytes");
  }

  @Test
  void refusesASecondBatch() {
    ByteBuffer one = good();
    ByteBuffer two =
        ByteBuffer.allocate(2 * one.limit()).put(one.duplicate()).put(one.duplicate()).flip();
    assertRejected(two, RejectReason.INVALID_RECORD, "expected exactly one whole batch");
  }

  @Test
  void refusesABaseOffset() {
    ByteBuffer batch = good();
    RecordBatch.of(batch).baseOffset(5);
    assertRejected(batch, RejectReason.INVALID_RECORD, "base offset is 5; expected 0");
  }

  @Test
  void refusesBatchesThatAreTooLarge() {
    ByteBuffer batch = good();
    assertThat(rejected(batch, config(c -> c.maxMessageBytes(batch.limit() - 1))).reason())
        .isEqualTo(RejectReason.MESSAGE_TOO_LARGE);
    assertThat(rejected(batch, config(c -> c.segmentBytes(batch.limit() - 1))).reason())
        .isEqualTo(RejectReason.RECORD_LIST_TOO_LARGE);
    valid(batch, config(c -> c.maxMessageBytes(batch.limit()).segmentBytes(batch.limit())));
  }

  @Test
  void refusesAWrongChecksum() {
    ByteBuffer batch = good();
    batch.put(batch.limit() - 1, (byte) 1);
    assertRejected(batch, RejectReason.CORRUPT_MESSAGE, "orders-3: checksum mismatch: expected 0x");
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 6, 7})
  void refusesUnknownCodecs(int codec) {
    assertRejected(
        changed(b -> b.putShort(21, (short) codec)),
        RejectReason.UNSUPPORTED_COMPRESSION_TYPE,
        "codec number is %d".formatted(codec));
  }

  @Test
  void refusesHeadersThatContradictThemselves() {
    assertInvalid(b -> b.putInt(RecordBatch.RECORD_COUNT_POSITION, 0), "0 records");
    assertInvalid(b -> b.putInt(RecordBatch.RECORD_COUNT_POSITION, -1), "-1 records");
    assertInvalid(b -> b.putInt(RecordBatch.RECORD_COUNT_POSITION, 3), "3 records");
    assertInvalid(b -> b.putInt(RecordBatch.LAST_OFFSET_DELTA_POSITION, 5), "last offset delta 5");
    assertInvalid(
        b ->
            b.putInt(RecordBatch.RECORD_COUNT_POSITION, 3)
                .putInt(RecordBatch.LAST_OFFSET_DELTA_POSITION, 2),
        "record 2 of 3");
    assertInvalid(
        b ->
            b.putInt(RecordBatch.RECORD_COUNT_POSITION, 1)
                .putInt(RecordBatch.LAST_OFFSET_DELTA_POSITION, 0),
        "bytes follow the last of 1 records");
    assertInvalid(
        b ->
            b.putInt(RecordBatch.RECORD_COUNT_POSITION, Integer.MAX_VALUE)
                .putInt(RecordBatch.LAST_OFFSET_DELTA_POSITION, Integer.MAX_VALUE - 1),
        "record 2 of 2147483647");
  }

  @Test
  void refusesWhatOnlyTheBrokerMayWrite() {
    assertInvalid(b -> b.putShort(21, (short) RecordBatch.CONTROL_BIT), "control");
    assertInvalid(b -> b.putShort(21, (short) RecordBatch.DELETE_HORIZON_BIT), "delete horizon");
    assertRejected(
        changed(b -> b.putShort(21, (short) RecordBatch.LOG_APPEND_TIME_BIT)),
        RejectReason.INVALID_TIMESTAMP,
        "LogAppendTime");
  }

  @Test
  void refusesProducersWithoutEpochOrSequence() {
    assertInvalid(b -> b.putLong(RecordBatch.PRODUCER_ID_POSITION, 5), "producer 5");
    assertInvalid(
        b ->
            b.putLong(RecordBatch.PRODUCER_ID_POSITION, 5)
                .putShort(RecordBatch.PRODUCER_EPOCH_POSITION, (short) 0),
        "base sequence -1");
    assertInvalid(b -> b.putShort(21, (short) RecordBatch.TRANSACTIONAL_BIT), "no producer id");
  }

  // ---- records ----

  @Test
  void refusesKeylessRecordsOnCompactedTopicsAndNamesThem() {
    ByteBuffer batch =
        new RecordBatchBuilder()
            .append(NOW_MS, KEY, VALUE)
            .append(NOW_MS, null, VALUE)
            .append(NOW_MS, KEY, null)
            .append(NOW_MS, null, VALUE)
            .build();

    Rejected rejected = rejected(batch, config(c -> c.cleanupPolicy(true, false)));

    assertThat(rejected.reason()).isEqualTo(RejectReason.INVALID_RECORD);
    assertThat(rejected.recordErrors()).extracting(RecordError::index).containsExactly(1, 3);
    assertThat(rejected.message()).startsWith("orders-3: 2 records of the batch");
  }

  @Test
  void namesAHundredRecordsAtMost() {
    RecordBatchBuilder builder = new RecordBatchBuilder();
    for (int i = 0; i < 150; i++) {
      builder.append(NOW_MS, null, VALUE);
    }
    Rejected rejected = rejected(builder.build(), config(c -> c.cleanupPolicy(true, false)));
    assertThat(rejected.recordErrors()).hasSize(100);
    assertThat(rejected.message()).contains("150 records");
  }

  @Test
  void refusesTimestampsOutsideOfTheBounds() {
    LogConfig config = LogConfig.defaults().toBuilder().timestampBounds(1000, 500).build();
    for (long offset : new long[] {-1000, 0, 500}) {
      valid(new RecordBatchBuilder().append(NOW_MS + offset, KEY, VALUE).build(), config);
    }
    for (long offset : new long[] {-1001, 501, Long.MAX_VALUE - NOW_MS, -NOW_MS - 2}) {
      Rejected rejected =
          rejected(
              new RecordBatchBuilder()
                  .append(NOW_MS, KEY, VALUE)
                  .append(NOW_MS + offset, KEY, VALUE)
                  .build(),
              config);
      assertThat(rejected.reason()).isEqualTo(RejectReason.INVALID_TIMESTAMP);
      assertThat(rejected.recordErrors()).extracting(RecordError::index).containsExactly(1);
    }
    valid(new RecordBatchBuilder().append(-1, KEY, VALUE).build(), config);
  }

  @Test
  void theDefaultBoundsLetOldRecordsInAndFutureOnesOneHourFar() {
    LogConfig config = LogConfig.defaults();
    valid(new RecordBatchBuilder().append(0, KEY, VALUE).build(), config);
    valid(new RecordBatchBuilder().append(NOW_MS + 3_600_000, KEY, VALUE).build(), config);
    assertThat(
            rejected(
                    new RecordBatchBuilder().append(NOW_MS + 3_600_001, KEY, VALUE).build(), config)
                .reason())
        .isEqualTo(RejectReason.INVALID_TIMESTAMP);
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void refusesOffsetDeltasThatAreNotDense(CompressionType codec) {
    ByteBuffer gap =
        new RecordBatchBuilder()
            .compression(codec)
            .append(NOW_MS, KEY, VALUE)
            .appendAt(2, NOW_MS, KEY, VALUE, List.of())
            .build();
    gap.putInt(RecordBatch.LAST_OFFSET_DELTA_POSITION, 1);
    RecordBatch.of(gap).writeCrc();
    assertRejected(gap, RejectReason.INVALID_RECORD, "record 1 has offset delta 2; expected 1");
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void refusesABlockThatHoldsMoreThanTheLimit(CompressionType codec) {
    BatchValidator tight =
        new BatchValidator(
            new Decompressor(new io.weirmq.storage.compress.BufferPool(), 100_000),
            new io.weirmq.storage.compress.Compressor());
    ByteBuffer batch =
        new RecordBatchBuilder()
            .compression(codec)
            .append(NOW_MS, KEY, ByteBuffer.allocate(400_000))
            .build();

    ValidationOutcome outcome =
        tight.validate(PARTITION, batch, AppendOrigin.CLIENT, LogConfig.defaults(), NOW_MS);

    if (codec == CompressionType.NONE) {
      assertThat(outcome).isInstanceOf(ValidationOutcome.Valid.class);
    } else {
      assertThat(((ValidationOutcome.Invalid) outcome).rejection().reason())
          .isEqualTo(RejectReason.MESSAGE_TOO_LARGE);
    }
  }

  // ---- what a leader sends ----

  @Test
  void acceptsSeveralBatchesOfALeaderAndLeavesACutOneOut() throws Exception {
    ByteBuffer first = at(10, 2, NOW_MS);
    ByteBuffer second = at(20, 3, NOW_MS + 5);
    ByteBuffer cut = at(30, 1, NOW_MS);
    ByteBuffer all =
        ByteBuffer.allocate(first.limit() + second.limit() + 70)
            .put(first)
            .put(second)
            .put(cut.duplicate().limit(70))
            .flip();

    ValidationOutcome outcome =
        validator.validate(PARTITION, all, AppendOrigin.REPLICATION, LogConfig.defaults(), NOW_MS);

    ValidatedBatch valid = ((ValidationOutcome.Valid) outcome).batch();
    assertThat(valid.recordCount()).isEqualTo(5);
    assertThat(valid.maxTimestampMs()).isEqualTo(NOW_MS + 5);
    assertThat(StoredRecord.readAll(valid.buffer(), new Decompressor()))
        .extracting(StoredRecord::offset)
        .containsExactly(10L, 11L, 20L, 21L, 22L);
    assertThat(valid.buffer().remaining()).isEqualTo(first.limit() + second.limit());
  }

  @Test
  void refusesWhatALeaderSentDamaged() {
    ByteBuffer flipped = at(10, 2, NOW_MS);
    flipped.put(80, (byte) (flipped.get(80) ^ 4));
    assertReplicationRejected(flipped, "batch at offset 10: checksum mismatch");
    assertReplicationRejected(at(10, 2, NOW_MS).limit(60), "hold no whole batch");
    ByteBuffer back =
        ByteBuffer.allocate(1000).put(at(10, 2, NOW_MS)).put(at(11, 1, NOW_MS)).flip();
    assertReplicationRejected(back, "expected from 12 up");
  }

  private void assertReplicationRejected(ByteBuffer batches, String message) {
    ValidationOutcome outcome =
        validator.validate(
            PARTITION, batches, AppendOrigin.REPLICATION, LogConfig.defaults(), NOW_MS);
    Rejected rejected = ((ValidationOutcome.Invalid) outcome).rejection();
    assertThat(rejected.reason()).isEqualTo(RejectReason.CORRUPT_MESSAGE);
    assertThat(rejected.message()).contains(message);
  }

  // ---- helpers ----

  private static ByteBuffer good() {
    return new RecordBatchBuilder()
        .append(NOW_MS - 10, KEY, VALUE)
        .append(NOW_MS, KEY, VALUE)
        .build();
  }

  private static ByteBuffer at(long baseOffset, int count, long timestampMs) {
    RecordBatchBuilder builder = new RecordBatchBuilder().baseOffset(baseOffset).leaderEpoch(3);
    for (int i = 0; i < count; i++) {
      builder.append(timestampMs, KEY, VALUE);
    }
    return builder.build();
  }

  private static ByteBuffer changed(Consumer<ByteBuffer> change) {
    ByteBuffer batch = good();
    change.accept(batch);
    RecordBatch.of(batch).writeCrc();
    return batch;
  }

  private static LogConfig config(Consumer<LogConfig.Builder> change) {
    LogConfig.Builder builder = LogConfig.defaults().toBuilder();
    change.accept(builder);
    return builder.build();
  }

  private ValidatedBatch valid(ByteBuffer batch, LogConfig config) {
    ValidationOutcome outcome =
        validator.validate(PARTITION, batch, AppendOrigin.CLIENT, config, NOW_MS);
    assertThat(outcome).isInstanceOf(ValidationOutcome.Valid.class);
    return ((ValidationOutcome.Valid) outcome).batch();
  }

  private Rejected rejected(ByteBuffer batch, LogConfig config) {
    ValidationOutcome outcome =
        validator.validate(PARTITION, batch, AppendOrigin.CLIENT, config, NOW_MS);
    assertThat(outcome).isInstanceOf(ValidationOutcome.Invalid.class);
    return ((ValidationOutcome.Invalid) outcome).rejection();
  }

  private void assertRejected(ByteBuffer batch, RejectReason reason, String message) {
    Rejected rejected = rejected(batch, LogConfig.defaults());
    assertThat(rejected.reason()).as(rejected.message()).isEqualTo(reason);
    assertThat(rejected.message()).contains("orders-3").contains(message);
  }

  private void assertInvalid(Consumer<ByteBuffer> change, String message) {
    assertRejected(changed(change), RejectReason.INVALID_RECORD, message);
  }
}
