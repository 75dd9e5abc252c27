package io.weirmq.storage.internal.validate;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendResult.Rejected;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.KafkaBatches;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.storage.record.RecordCursor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The quick pass against the one that goes over all records one by one. */
class PlainRecordsTest {

  private static final long NOW_MS = 1_700_000_000_000L;
  private static final TopicPartition PARTITION = new TopicPartition("orders", 3);
  private static final RecordRules KEYS = new RecordRules(true, 0, Long.MAX_VALUE);
  private static final RecordRules TIMES = new RecordRules(false, NOW_MS - 4_000, NOW_MS);

  private final Decompressor decompressor = new Decompressor();

  /** Compares both passes; returns whether the quick one was sure. */
  private boolean isSure(ByteBuffer bytes, RecordRules rules, String what) {
    RecordBatch batch = RecordBatch.of(bytes);
    ByteBuffer before = KafkaBatches.copy(bytes);
    PlainRecords quick = new PlainRecords();
    boolean sure = quick.run(batch, rules);
    assertThat(bytes).as(what).isEqualTo(before);
    if (sure) {
      RecordScan thorough = new RecordScan(PARTITION, rules);
      @Nullable Rejected rejected;
      try (RecordCursor cursor = new RecordCursor(decompressor)) {
        rejected = thorough.runThrough(cursor, batch);
      }
      assertThat(rejected).as(what).isNull();
      assertThat(batch.recordCount()).as(what).isEqualTo(thorough.recordCount());
      assertThat(quick.maxTimestampMs()).as(what).isEqualTo(thorough.maxTimestampMs());
      assertThat(quick.maxTimestampOffsetDelta())
          .as(what)
          .isEqualTo(thorough.maxTimestampOffsetDelta());
    }
    return sure;
  }

  private static ByteBuffer records(Random random, int count) {
    RecordBatchBuilder builder = new RecordBatchBuilder();
    for (int i = 0; i < count; i++) {
      ByteBuffer key = random.nextInt(3) == 0 ? null : ByteBuffer.allocate(random.nextInt(200));
      ByteBuffer value = random.nextInt(9) == 0 ? null : ByteBuffer.allocate(random.nextInt(7_000));
      builder.append(NOW_MS - random.nextInt(8_000), key, value);
    }
    return builder.build();
  }

  private static ByteBuffer direct(ByteBuffer batch) {
    ByteBuffer direct = ByteBuffer.allocateDirect(batch.remaining() + 11).position(11);
    return direct.put(batch.duplicate()).position(11);
  }

  @Test
  void isSureOfSoundRecordsWithoutHeaders() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      ByteBuffer batch = records(random, 1 + random.nextInt(300));

      assertThat(isSure(batch, RecordRules.NONE, "seed " + seed)).isTrue();
      assertThat(isSure(direct(batch), RecordRules.NONE, "direct, seed " + seed)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 52, 53, 54, 57, 58, 63, 64, 65, 4_000, 8_180, 8_181, 8_183, 8_184})
  void isSureOfLengthsOfOneAndTwoBytes(int length) {
    ByteBuffer value = ByteBuffer.allocate(length);
    ByteBuffer batch =
        new RecordBatchBuilder()
            .append(NOW_MS, null, value)
            .append(NOW_MS + 8_191, value, null)
            .append(NOW_MS - 8_192, null, value)
            .append(NOW_MS + 63, null, value)
            .append(NOW_MS + 64, null, value)
            .build();

    assertThat(isSure(batch, RecordRules.NONE, length + " bytes")).isEqualTo(length < 8_184);
  }

  @Test
  void isNotSureOfTimesFarFromTheFirst() {
    for (long delta : new long[] {8_192, -8_193, 1_000_000_000_000L, -1_000_000_000_000L}) {
      ByteBuffer batch =
          new RecordBatchBuilder()
              .append(NOW_MS, null, null)
              .append(NOW_MS + delta, null, ByteBuffer.allocate(9))
              .build();

      assertThat(isSure(batch, RecordRules.NONE, "delta " + delta)).isFalse();
    }
  }

  @Test
  void isSureOfOffsetDeltasOfThreeBytes() {
    for (int count : new int[] {63, 64, 65, 66, 8_191, 8_192, 8_193, 8_194, 40_000}) {
      RecordBatchBuilder builder = new RecordBatchBuilder();
      for (int i = 0; i < count; i++) {
        builder.append(NOW_MS, null, ByteBuffer.allocate(1));
      }

      assertThat(isSure(builder.build(), RecordRules.NONE, count + " records")).isTrue();
    }
  }

  @Test
  void keepsTheRulesOfTheTopic() {
    int sureOfKeys = 0;
    int sureOfTimes = 0;
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      ByteBuffer batch = records(random, 1 + random.nextInt(3));

      sureOfKeys += isSure(batch, KEYS, "keys, seed " + seed) ? 1 : 0;
      sureOfTimes += isSure(batch, TIMES, "times, seed " + seed) ? 1 : 0;
    }
    assertThat(sureOfKeys).isBetween(1, 499);
    assertThat(sureOfTimes).isBetween(1, 499);
  }

  @Test
  void agreesOnWhatKafkasClientsSend() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<SimpleRecord> plain = new ArrayList<>();
      for (int i = random.nextInt(50); i >= 0; i--) {
        byte[] key = random.nextInt(3) == 0 ? null : new byte[random.nextInt(100)];
        plain.add(new SimpleRecord(NOW_MS - random.nextInt(4_000), key, new byte[1 + i]));
      }
      List<SimpleRecord> any = KafkaBatches.randomRecords(random, 5, NOW_MS - 200_000);

      assertThat(
              isSure(
                  KafkaBatches.build(CompressionType.NONE, plain),
                  RecordRules.NONE,
                  "plain, seed " + seed))
          .isTrue();
      isSure(KafkaBatches.build(CompressionType.NONE, any), RecordRules.NONE, "any, seed " + seed);
    }
  }

  @Test
  void agreesOnEveryByteThatIsChanged() {
    ByteBuffer sound =
        new RecordBatchBuilder()
            .append(NOW_MS, null, ByteBuffer.allocate(100))
            .append(NOW_MS + 500, ByteBuffer.allocate(3), ByteBuffer.allocate(2))
            .append(NOW_MS, ByteBuffer.allocate(0), ByteBuffer.allocate(1))
            .build();
    int sure = 0;
    for (int at = RecordBatch.HEADER_BYTES; at < sound.limit(); at++) {
      for (int value = 0; value < 256; value++) {
        ByteBuffer batch = KafkaBatches.copy(sound).put(at, (byte) value);
        sure += isSure(batch, RecordRules.NONE, "byte %d is %d".formatted(at, value)) ? 1 : 0;
      }
    }
    int ofValues = 256 * (100 + 3 + 2 + 1);
    assertThat(sure).as("all changes of contents, and some of times").isGreaterThan(ofValues);
  }

  @Test
  void agreesOnSeveralBytesThatAreChanged() {
    int unsure = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      RecordBatchBuilder builder = new RecordBatchBuilder();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        builder.append(NOW_MS, ByteBuffer.allocate(random.nextInt(3)), ByteBuffer.allocate(1));
      }
      ByteBuffer batch = builder.build();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        int at =
            RecordBatch.HEADER_BYTES + random.nextInt(batch.limit() - RecordBatch.HEADER_BYTES);
        byte any = (byte) random.nextInt(256);
        byte small = (byte) (random.nextInt(9) - 4);
        batch.put(at, random.nextBoolean() ? any : small);
      }
      unsure += isSure(batch, RecordRules.NONE, "seed " + seed) ? 0 : 1;
    }
    assertThat(unsure).isBetween(1, 19_999);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 10})
  void agreesOnNoise(int countMax) {
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] noise = new byte[RecordBatch.HEADER_BYTES + random.nextInt(60)];
      random.nextBytes(noise);
      int count = 1 + random.nextInt(countMax);
      ByteBuffer batch =
          ByteBuffer.wrap(noise).putInt(8, noise.length - 12).putShort(21, (short) 0);
      batch.putInt(23, count - 1).putInt(57, count).putLong(27, NOW_MS);

      isSure(batch, RecordRules.NONE, "seed " + seed);
    }
  }

  @Test
  void isNotSureOfACountThatTheBytesCannotHold() {
    ByteBuffer batch = records(new Random(1), 3).putInt(57, Integer.MAX_VALUE);

    assertThat(isSure(batch, RecordRules.NONE, "too many")).isFalse();
    assertThat(isSure(batch.putInt(57, 2), RecordRules.NONE, "too few")).isFalse();
  }
}
