package io.weirmq.bench.compaction;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.LogWriter;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.storage.record.RecordCursor;
import io.weirmq.storage.record.RecordView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Writes records of random keys and remembers the last offset of each: the model. A value begins
 * with its own offset, so that a value under a wrong offset or key is seen. Confined to one thread.
 */
final class KeyedLoad {

  private static final int RECORDS_PER_BATCH = 16;

  /** One record in so many deletes its key. */
  private static final int RECORDS_PER_TOMBSTONE = 20;

  private static final int READ_BYTES = 4 * 1024 * 1024;

  private static final long NEVER = -1;

  private final PartitionLog log;
  private final LogAppender appender;
  private final int valueBytes;
  private final CompressionType codec;
  private final SplittableRandom random;

  /** By key: the offset of the last record, -1 where there is none or it is a tombstone. */
  private final long[] live;

  /** By key: the offset of the last record of any kind below the active segment. */
  private final long[] lastSealed;

  KeyedLoad(
      PartitionLog log,
      LogAppender appender,
      int keys,
      int valueBytes,
      CompressionType codec,
      long seed) {
    this.log = log;
    this.appender = appender;
    this.valueBytes = valueBytes;
    this.codec = codec;
    this.random = new SplittableRandom(seed);
    this.live = new long[keys];
    this.lastSealed = new long[keys];
    Arrays.fill(live, NEVER);
    Arrays.fill(lastSealed, NEVER);
  }

  /**
   * What a consumer of the whole log saw beside the model. Immutable.
   *
   * @param records records in the log
   * @param keys keys with a value in the model
   * @param differences keys whose value differs
   * @param outdated records below the active segment that are not the last of their key there
   */
  record Comparison(long records, long keys, long differences, long outdated) {}

  /** Fills the log, and rolls it with one record in the active segment. */
  void fill(long bytes) throws Exception {
    while (log.sizeBytes() < bytes) {
      append(RECORDS_PER_BATCH, true);
    }
    appender.execute(KeyedLoad::roll).get();
    append(1, false);
  }

  private static boolean roll(LogWriter writer) throws StorageException {
    writer.roll();
    return true;
  }

  private void append(int count, boolean sealed) throws Exception {
    RecordBatchBuilder builder = new RecordBatchBuilder().compression(codec);
    byte[] value = new byte[valueBytes];
    long nowMs = System.currentTimeMillis();
    long offset = log.logEndOffset();
    for (int i = 0; i < count; i++, offset++) {
      int key = random.nextInt(live.length);
      boolean tombstone = random.nextInt(RECORDS_PER_TOMBSTONE) == 0;
      random.nextBytes(value);
      ByteBuffer content = ByteBuffer.wrap(value).putLong(0, offset);
      builder.append(nowMs, keyBytes(key), tombstone ? null : content);
      live[key] = tombstone ? NEVER : offset;
      if (sealed) {
        lastSealed[key] = offset;
      }
    }
    AppendResult result =
        appender.append(new AppendRequest(builder.build(), AppendOrigin.CLIENT, 0)).get();
    if (!(result instanceof AppendResult.Appended)) {
      throw new IllegalStateException("not appended: " + result);
    }
  }

  private static ByteBuffer keyBytes(int key) {
    return ByteBuffer.wrap(String.format("key-%010d", key).getBytes(StandardCharsets.US_ASCII));
  }

  private static int key(ByteBuffer bytes) {
    byte[] digits = new byte[10];
    bytes.get(bytes.position() + 4, digits);
    return Integer.parseInt(new String(digits, StandardCharsets.US_ASCII));
  }

  /** Reads the whole log as a consumer does. */
  Comparison compare() throws IOException {
    long[] seen = new long[live.length];
    Arrays.fill(seen, NEVER);
    long records = 0;
    long outdated = 0;
    long activeFrom = log.logEndOffset() - 1;
    long next = log.logStartOffset();
    try (RecordCursor cursor = new RecordCursor(new Decompressor())) {
      while (next < log.logEndOffset()) {
        BatchCursor batches = new BatchCursor(read(next));
        while (batches.next()) {
          batches.batch().ensureValid();
          cursor.open(batches.batch());
          while (cursor.next()) {
            RecordView record = cursor.record();
            int key = key(Objects.requireNonNull(record.key()));
            ByteBuffer value = record.value();
            seen[key] = value == null ? NEVER : value.getLong(value.position());
            records++;
            outdated += cursor.offset() < activeFrom && cursor.offset() != lastSealed[key] ? 1 : 0;
          }
          next = batches.batch().nextOffset();
        }
      }
    }
    long differences = 0;
    long keys = 0;
    for (int key = 0; key < live.length; key++) {
      differences += seen[key] == live[key] ? 0 : 1;
      keys += live[key] == NEVER ? 0 : 1;
    }
    return new Comparison(records, keys, differences, outdated);
  }

  private ByteBuffer read(long offset) throws IOException {
    LogSlice slice = log.read(offset, READ_BYTES, log.logEndOffset(), true);
    try {
      ByteBuffer bytes = ByteBuffer.allocate(slice.lengthBytes());
      slice.readFully(bytes);
      return bytes.flip();
    } finally {
      slice.release();
    }
  }
}
