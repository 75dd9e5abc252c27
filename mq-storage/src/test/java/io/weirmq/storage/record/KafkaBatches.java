package io.weirmq.storage.record;

import io.weirmq.storage.CompressionType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.ByteBufferOutputStream;
import org.jspecify.annotations.Nullable;

/** Batches of Kafka's own library, and random contents for both sides. */
public final class KafkaBatches {

  private KafkaBatches() {}

  /** Kafka's name of a codec. */
  public static Compression compression(CompressionType codec) {
    return Compression.of(codec.configName()).build();
  }

  /** Makes a batch with Kafka's library, at base offset 0. */
  public static ByteBuffer build(CompressionType codec, List<SimpleRecord> records) {
    return build(codec, records, -1, (short) -1, -1, false);
  }

  /** Makes a batch of a producer with Kafka's library. */
  public static ByteBuffer build(
      CompressionType codec,
      List<SimpleRecord> records,
      long producerId,
      short epoch,
      int sequence,
      boolean transactional) {
    try (MemoryRecordsBuilder builder =
        new MemoryRecordsBuilder(
            new ByteBufferOutputStream(1024),
            org.apache.kafka.common.record.internal.RecordBatch.MAGIC_VALUE_V2,
            compression(codec),
            TimestampType.CREATE_TIME,
            0,
            -1,
            producerId,
            epoch,
            sequence,
            transactional,
            false,
            -1,
            Integer.MAX_VALUE)) {
      records.forEach(builder::append);
      return copy(builder.build().buffer());
    }
  }

  /** The records that Kafka's library reads from batches, as ours. */
  public static List<StoredRecord> read(ByteBuffer batches) {
    List<StoredRecord> records = new ArrayList<>();
    for (Record record : MemoryRecords.readableRecords(batches.duplicate()).records()) {
      records.add(
          new StoredRecord(
              record.offset(),
              record.timestamp(),
              copyNullable(record.key()),
              copyNullable(record.value()),
              headers(record.headers())));
    }
    return records;
  }

  /** Random records: null and empty keys and values, headers, times that go back. */
  public static List<SimpleRecord> randomRecords(Random random, int count, long nowMs) {
    List<SimpleRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long timestampMs = Math.max(0, nowMs + random.nextInt(200_000) - 100_000);
      Header[] headers = new Header[random.nextInt(4) == 0 ? random.nextInt(4) : 0];
      for (int h = 0; h < headers.length; h++) {
        headers[h] = new RecordHeader("h\u00e4" + random.nextInt(9), randomBytes(random, 20));
      }
      records.add(
          new SimpleRecord(
              timestampMs, randomBytes(random, 40), randomBytes(random, 300), headers));
    }
    return records;
  }

  private static byte @Nullable [] randomBytes(Random random, int lengthMax) {
    int kind = random.nextInt(8);
    if (kind == 0) {
      return null;
    }
    if (kind == 1) {
      return new byte[0];
    }
    if (kind == 2) {
      byte[] noise = new byte[random.nextInt(lengthMax) + 1];
      random.nextBytes(noise);
      return noise;
    }
    return "the same words again and again and again"
        .repeat(1 + random.nextInt(lengthMax / 10))
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Reads hex with any white space in it. */
  public static byte[] hex(String text) {
    return java.util.HexFormat.of().parseHex(text.replaceAll("\\s", ""));
  }

  /** Copies a buffer's remaining bytes. */
  public static ByteBuffer copy(ByteBuffer source) {
    return ByteBuffer.allocate(source.remaining()).put(source.duplicate()).flip();
  }

  private static @Nullable ByteBuffer copyNullable(@Nullable ByteBuffer source) {
    return source == null ? null : copy(source);
  }

  private static List<io.weirmq.storage.record.RecordHeader> headers(Header[] headers) {
    List<io.weirmq.storage.record.RecordHeader> ours = new ArrayList<>();
    for (Header header : headers) {
      byte[] value = header.value();
      ours.add(
          new io.weirmq.storage.record.RecordHeader(
              header.key(), value == null ? null : ByteBuffer.wrap(value)));
    }
    return ours;
  }
}
