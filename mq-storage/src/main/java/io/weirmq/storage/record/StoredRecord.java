package io.weirmq.storage.record;

import io.weirmq.storage.compress.Decompressor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record with its place in the log, for those who don't count allocations. Immutable, but for the
 * buffers' contents, which are copies.
 *
 * @param offset offset in the log
 * @param timestampMs milliseconds since the epoch; -1 where it has none
 * @param key bytes from position to limit; null where there is none
 * @param value bytes from position to limit; null where there is none
 * @param headers in their order
 */
public record StoredRecord(
    long offset,
    long timestampMs,
    @Nullable ByteBuffer key,
    @Nullable ByteBuffer value,
    List<RecordHeader> headers) {

  /** Copies the list. */
  public StoredRecord {
    headers = List.copyOf(headers);
  }

  /**
   * Reads all records of a batch.
   *
   * @param batch {@linkplain RecordBatch#isWhole() whole}
   * @throws CorruptBatchException where the records break the format
   */
  public static List<StoredRecord> readAll(RecordBatch batch, Decompressor decompressor)
      throws CorruptBatchException {
    List<StoredRecord> records = new ArrayList<>();
    try (RecordCursor cursor = new RecordCursor(decompressor)) {
      cursor.open(batch);
      while (cursor.next()) {
        records.add(cursor.toRecord());
      }
    }
    return records;
  }

  /**
   * Reads all records of the batches from a buffer's position to its limit; a batch that the limit
   * cuts is left out.
   *
   * @throws CorruptBatchException where a batch breaks the format; checksums are verified
   */
  public static List<StoredRecord> readAll(ByteBuffer batches, Decompressor decompressor)
      throws CorruptBatchException {
    List<StoredRecord> records = new ArrayList<>();
    BatchCursor cursor = new BatchCursor(batches);
    while (cursor.next()) {
      cursor.batch().ensureValid();
      records.addAll(readAll(cursor.batch(), decompressor));
    }
    return records;
  }

  static StoredRecord copyOf(RecordView view, long offset, long timestampMs) {
    List<RecordHeader> headers = new ArrayList<>(view.headerCount());
    while (view.nextHeader()) {
      headers.add(new RecordHeader(view.headerKey(), copy(view.headerValue())));
    }
    return new StoredRecord(offset, timestampMs, copy(view.key()), copy(view.value()), headers);
  }

  private static @Nullable ByteBuffer copy(@Nullable ByteBuffer source) {
    return source == null
        ? null
        : ByteBuffer.allocate(source.remaining()).put(source.duplicate()).flip();
  }
}
