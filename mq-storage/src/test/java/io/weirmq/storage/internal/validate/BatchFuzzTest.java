package io.weirmq.storage.internal.validate;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult.RejectReason;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.compress.BufferPool;
import io.weirmq.storage.compress.Compressor;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.CorruptBatchException;
import io.weirmq.storage.record.KafkaBatches;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.StoredRecord;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Damaged and hostile bytes: a typed refusal each time, and no more memory than the limit. */
class BatchFuzzTest {

  private static final long NOW_MS = 1_700_000_000_000L;
  private static final TopicPartition PARTITION = new TopicPartition("orders", 3);
  private static final long LIMIT_BYTES = 1 << 20;

  private final Decompressor decompressor = new Decompressor(new BufferPool(), LIMIT_BYTES);
  private final BatchValidator validator = new BatchValidator(decompressor, new Compressor());

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void everyFlippedBitBehindTheOffsetIsRefused(CompressionType codec) {
    ByteBuffer sound =
        KafkaBatches.build(codec, KafkaBatches.randomRecords(new Random(3), 5, NOW_MS - 200_000));
    for (int bit = 0; bit < sound.limit() * 8; bit++) {
      ByteBuffer batch = KafkaBatches.copy(sound);
      int at = bit / 8;
      batch.put(at, (byte) (batch.get(at) ^ (1 << (bit % 8))));

      ValidationOutcome outcome = validate(batch);

      // Bytes 12 to 15, the leader epoch, are the broker's to write and not covered by anything.
      boolean covered = at < RecordBatch.LEADER_EPOCH_POSITION || at >= RecordBatch.MAGIC_POSITION;
      assertThat(outcome)
          .as("bit %d of byte %d", bit % 8, at)
          .isInstanceOf(covered ? ValidationOutcome.Invalid.class : ValidationOutcome.Valid.class);
      if (at >= RecordBatch.CRC_POSITION) {
        assertThat(((ValidationOutcome.Invalid) outcome).rejection().reason())
            .isEqualTo(RejectReason.CORRUPT_MESSAGE);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void everyCutIsRefused(CompressionType codec) {
    ByteBuffer sound =
        KafkaBatches.build(codec, KafkaBatches.randomRecords(new Random(3), 5, NOW_MS - 200_000));
    for (int size = 0; size < sound.limit(); size++) {
      ByteBuffer batch = KafkaBatches.copy(sound).limit(size);
      assertThat(validate(batch)).isInstanceOf(ValidationOutcome.Invalid.class);
    }
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void damageUnderARightChecksumIsRefusedOrReadLikeKafkaReadsIt(CompressionType codec) {
    long accepted = 0;
    for (int seed = 0; seed < 1000; seed++) {
      Random random = new Random(seed);
      ByteBuffer batch =
          KafkaBatches.build(
              codec, KafkaBatches.randomRecords(random, 1 + random.nextInt(8), NOW_MS - 200_000));
      int changes = 1 + random.nextInt(3);
      for (int i = 0; i < changes; i++) {
        int at =
            RecordBatch.HEADER_BYTES + random.nextInt(batch.limit() - RecordBatch.HEADER_BYTES);
        batch.put(at, (byte) random.nextInt(256));
      }
      RecordBatch.of(batch).writeCrc();

      if (validate(batch) instanceof ValidationOutcome.Valid) {
        accepted++;
        // What we let in, Kafka's clients must be able to read.
        try {
          assertThat(StoredRecord.readAll(batch, decompressor))
              .as("seed %d", seed)
              .isEqualTo(KafkaBatches.read(batch));
        } catch (CorruptBatchException e) {
          throw new AssertionError("seed " + seed + ": accepted, then not readable", e);
        }
      }
    }
    assertThat(accepted).as("the changes of contents that do no harm").isPositive();
  }

  @Test
  void randomBytesAreRefused() {
    for (int seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      byte[] noise = new byte[random.nextInt(300)];
      random.nextBytes(noise);
      ByteBuffer batch = ByteBuffer.wrap(noise);
      if (noise.length > RecordBatch.HEADER_BYTES && seed % 2 == 0) {
        // Noise behind a header that passes all checks but those of the records.
        batch.putLong(0, 0).putInt(8, noise.length - 12).put(16, (byte) 2);
        batch.putShort(21, (short) random.nextInt(5)).putLong(43, -1);
        int count = 1 + random.nextInt(1000);
        batch.putInt(23, count - 1).putInt(57, count);
        RecordBatch.of(batch).writeCrc();
      }
      assertThat(validate(batch)).as("seed %d", seed).isInstanceOf(ValidationOutcome.Invalid.class);
    }
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void whatABlockClaimsIsNotAllocated(CompressionType codec) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    ByteBuffer bomb =
        new io.weirmq.storage.record.RecordBatchBuilder()
            .compression(codec)
            .append(NOW_MS, null, ByteBuffer.allocate(16 << 20))
            .build();
    LogConfig config = LogConfig.defaults().toBuilder().maxMessageBytes(64 << 20).build();
    validator.validate(PARTITION, bomb, AppendOrigin.CLIENT, config, NOW_MS);

    long before = threads.getCurrentThreadAllocatedBytes();
    ValidationOutcome outcome =
        validator.validate(PARTITION, bomb, AppendOrigin.CLIENT, config, NOW_MS);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;

    if (codec != CompressionType.NONE) {
      assertThat(outcome).isInstanceOf(ValidationOutcome.Invalid.class);
    }
    // A window that doubles up to the limit, and one block of the codec.
    assertThat(allocated).as("bytes allocated").isLessThan(8 * LIMIT_BYTES);
  }

  private ValidationOutcome validate(ByteBuffer batch) {
    return validator.validate(PARTITION, batch, AppendOrigin.CLIENT, LogConfig.defaults(), NOW_MS);
  }
}
