package io.weirmq.compat.oracle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * Makes record sets, good and bad. All timestamps are fixed, so that the bytes are the same for
 * both brokers.
 */
final class Batches {
  /** Timestamp of the first record of each batch; the next ones are 1 ms later each. */
  static final long TIME_MS = (System.currentTimeMillis() / 3_600_000 - 24) * 3_600_000;

  /** Positions in a batch, see the record batch format. */
  private static final int LENGTH_AT = 8;

  private static final int MAGIC_AT = 16;
  private static final int CRC_AT = 17;
  private static final int ATTRIBUTES_AT = 21;
  private static final int LAST_OFFSET_DELTA_AT = 23;
  private static final int MAX_TIMESTAMP_AT = 35;
  private static final int COUNT_AT = 57;
  private static final int HEADER_BYTES = 61;

  private Batches() {}

  private static SimpleRecord[] records(long timeMs, String... values) {
    SimpleRecord[] records = new SimpleRecord[values.length];
    for (int i = 0; i < values.length; i++) {
      byte[] key = ("key" + i).getBytes(StandardCharsets.UTF_8);
      records[i] = new SimpleRecord(timeMs + i, key, values[i].getBytes(StandardCharsets.UTF_8));
    }
    return records;
  }

  /** An uncompressed batch. */
  static MemoryRecords plain(String... values) {
    return at(TIME_MS, values);
  }

  /** An uncompressed batch whose first timestamp is given. */
  static MemoryRecords at(long timeMs, String... values) {
    return MemoryRecords.withRecords(Compression.NONE, records(timeMs, values));
  }

  /** A batch of one record without a key. */
  static MemoryRecords keyless(String value) {
    return MemoryRecords.withRecords(
        Compression.NONE, new SimpleRecord(TIME_MS, value.getBytes(StandardCharsets.UTF_8)));
  }

  static MemoryRecords compressed(Compression compression, String... values) {
    return MemoryRecords.withRecords(compression, records(TIME_MS, values));
  }

  /** A batch of a producer with a sequence. */
  static MemoryRecords idempotent(long producerId, int epoch, int sequence, String... values) {
    return MemoryRecords.withIdempotentRecords(
        Compression.NONE, producerId, (short) epoch, sequence, records(TIME_MS, values));
  }

  /** One batch after the other in one record set. */
  static MemoryRecords two(String first, String second) {
    ByteBuffer one = plain(first).buffer();
    ByteBuffer two = plain(second).buffer();
    ByteBuffer all = ByteBuffer.allocate(one.remaining() + two.remaining());
    return MemoryRecords.readableRecords(all.put(one).put(two).flip());
  }

  static MemoryRecords empty() {
    return MemoryRecords.readableRecords(ByteBuffer.allocate(0));
  }

  /** A change of the bytes of a batch. */
  @FunctionalInterface
  interface Edit {
    void apply(ByteBuffer batch);
  }

  /** A good batch, edited, with a checksum that fits again. */
  static MemoryRecords edited(MemoryRecords batch, Edit edit) {
    ByteBuffer bytes = copy(batch);
    edit.apply(bytes);
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(ATTRIBUTES_AT));
    bytes.putInt(CRC_AT, (int) crc.getValue());
    return MemoryRecords.readableRecords(bytes);
  }

  private static ByteBuffer copy(MemoryRecords batch) {
    ByteBuffer bytes = ByteBuffer.allocate(batch.sizeInBytes());
    return bytes.put(batch.buffer().duplicate()).flip();
  }

  static MemoryRecords badCrc() {
    ByteBuffer bytes = copy(plain("a", "b"));
    bytes.putInt(CRC_AT, bytes.getInt(CRC_AT) + 1);
    return MemoryRecords.readableRecords(bytes);
  }

  static MemoryRecords magic(int magic) {
    return edited(plain("a"), bytes -> bytes.put(MAGIC_AT, (byte) magic));
  }

  /** A batch that says it is so many bytes longer (or shorter) than it is. */
  static MemoryRecords length(int change) {
    return edited(plain("a"), b -> b.putInt(LENGTH_AT, b.getInt(LENGTH_AT) + change));
  }

  /** A batch whose end is missing. */
  static MemoryRecords truncated(int bytes) {
    ByteBuffer whole = copy(plain("a", "b", "c"));
    return MemoryRecords.readableRecords(whole.limit(whole.limit() - bytes).slice());
  }

  /** Only the first so many bytes of a batch. */
  static MemoryRecords prefix(int bytes) {
    return MemoryRecords.readableRecords(copy(plain("a", "b", "c")).limit(bytes).slice());
  }

  static MemoryRecords count(int count) {
    return edited(plain("a", "b"), bytes -> bytes.putInt(COUNT_AT, count));
  }

  static MemoryRecords lastOffsetDelta(int delta) {
    return edited(plain("a", "b"), bytes -> bytes.putInt(LAST_OFFSET_DELTA_AT, delta));
  }

  static MemoryRecords maxTimestamp(long timestamp) {
    return edited(plain("a", "b"), bytes -> bytes.putLong(MAX_TIMESTAMP_AT, timestamp));
  }

  static MemoryRecords baseOffset(long offset) {
    return edited(plain("a", "b"), bytes -> bytes.putLong(0, offset));
  }

  /** Sets bits of the attributes. */
  static MemoryRecords attributes(int bits) {
    return edited(
        plain("a", "b"),
        bytes -> bytes.putShort(ATTRIBUTES_AT, (short) (bytes.getShort(ATTRIBUTES_AT) | bits)));
  }

  /** A batch that says it is compressed, but whose body is noise. */
  static MemoryRecords brokenBody(Compression compression) {
    return edited(
        compressed(compression, "a".repeat(300), "b".repeat(300), "c".repeat(300)),
        bytes -> {
          for (int i = HEADER_BYTES; i < bytes.limit(); i++) {
            bytes.put(i, (byte) (i * 37 + 11));
          }
        });
  }

  /** A good uncompressed batch in which one byte of the records is another. */
  static MemoryRecords brokenRecord(int at, int value) {
    return edited(plain("a", "b"), bytes -> bytes.put(HEADER_BYTES + at, (byte) value));
  }
}
