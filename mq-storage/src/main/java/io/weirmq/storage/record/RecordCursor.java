package io.weirmq.storage.record;

import io.weirmq.storage.CompressionType;
import io.weirmq.storage.compress.DecompressedInput;
import io.weirmq.storage.compress.DecompressionException;
import io.weirmq.storage.compress.Decompressor;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Goes over the records of a batch, compressed or not.
 *
 * <pre>{@code
 * try (RecordCursor cursor = new RecordCursor(decompressor)) {
 *   cursor.open(batch);
 *   while (cursor.next()) {
 *     use(cursor.offset(), cursor.timestampMs(), cursor.record().value());
 *   }
 * }
 * }</pre>
 *
 * <p>Nothing is allocated per record. Compressed records are read through a window that grows to
 * the largest record met, by the bytes that really come out.
 *
 * <p>Confined to one thread; to be opened any number of times, and closed once by its owner.
 */
public final class RecordCursor implements AutoCloseable {

  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final Decompressor decompressor;
  private final RecordView view = new RecordView();
  private final RecordBatch batch = new RecordBatch();

  private int recordCount;
  private int index;
  private long baseOffset;
  private long baseTimestamp;
  private long appendTimestamp;
  private boolean isLogAppendTime;

  // Where the next record begins and the bytes end: in the batch's own buffer, or in the window.
  private ByteBuffer source = EMPTY;
  private int from;
  private int to;

  private @Nullable DecompressedInput input;
  private byte @Nullable [] window;

  /** Makes a cursor over nothing. */
  public RecordCursor(Decompressor decompressor) {
    this.decompressor = decompressor;
  }

  /**
   * Goes in front of the first record of a batch.
   *
   * @param newBatch {@linkplain RecordBatch#isWhole() whole}; its buffer is borrowed until the next
   *     call or {@link #close()}, the view itself may be used for other things
   * @return this
   * @throws CorruptBatchException where the codec is unknown or the compressed block malformed
   */
  public RecordCursor open(RecordBatch newBatch) throws CorruptBatchException {
    close();
    batch.wrap(newBatch.buffer(), newBatch.position());
    recordCount = batch.recordCount();
    index = -1;
    baseOffset = batch.baseOffset();
    baseTimestamp = batch.baseTimestamp();
    appendTimestamp = batch.maxTimestamp();
    isLogAppendTime = batch.isLogAppendTime();
    source = batch.buffer();
    from = batch.position() + RecordBatch.HEADER_BYTES;
    to = batch.position() + batch.sizeInBytes();
    if (batch.isCompressed()) {
      openCompressed(batch.compressionType());
    }
    return this;
  }

  /**
   * Goes to the next record.
   *
   * @return false behind the last one
   * @throws CorruptBatchException where the record breaks the format, the compressed block is
   *     malformed or over the limit, or bytes follow the last record
   */
  public boolean next() throws CorruptBatchException {
    if (index + 1 >= recordCount) {
      ensureNothingLeft();
      return false;
    }
    if (input != null) {
      fetchRecord(input);
    }
    int end = view.parse(source, from, to);
    if (end < 0) {
      throw corrupt("record %d of %d is malformed or cut".formatted(index + 1, recordCount));
    }
    from = end;
    index++;
    return true;
  }

  /** Index of the present record in the batch, from 0. */
  public int index() {
    return index;
  }

  /** The present record; its contents are borrowed until {@link #next()}. */
  public RecordView record() {
    return view;
  }

  /** Offset of the present record. */
  public long offset() {
    return baseOffset + view.offsetDelta();
  }

  /** Timestamp of the present record, milliseconds since the epoch; -1 where it has none. */
  public long timestampMs() {
    return isLogAppendTime ? appendTimestamp : baseTimestamp + view.timestampDelta();
  }

  /** Returns a copy of the present record. */
  public StoredRecord toRecord() {
    return StoredRecord.copyOf(view, offset(), timestampMs());
  }

  /** Gives working memory back; the cursor may be opened again. Closing again does nothing. */
  @Override
  public void close() {
    if (input != null) {
      input.close();
      input = null;
    }
    if (window != null) {
      decompressor.pool().give(window);
      window = null;
    }
    recordCount = 0;
    index = 0;
    from = to;
  }

  private void openCompressed(CompressionType codec) throws CorruptBatchException {
    ByteBuffer block = source.duplicate().limit(to).position(from);
    try {
      input = decompressor.open(codec, block);
    } catch (DecompressionException e) {
      throw corrupt(e);
    }
    byte[] array = decompressor.pool().take(1);
    window = array;
    source = ByteBuffer.wrap(array);
    from = 0;
    to = 0;
  }

  /** Brings the next record into the window whole. */
  private void fetchRecord(DecompressedInput open) throws CorruptBatchException {
    long size = RecordView.sizeAt(source, from, to);
    while (size == RecordView.SIZE_UNKNOWN || (size > 0 && size > to - from)) {
      if (!fetchMore(open)) {
        throw corrupt(
            "compressed records end in record %d of %d".formatted(index + 1, recordCount));
      }
      if (size == RecordView.SIZE_UNKNOWN) {
        size = RecordView.sizeAt(source, from, to);
      }
    }
  }

  private boolean fetchMore(DecompressedInput open) throws CorruptBatchException {
    byte[] array = windowWithRoom();
    try {
      int count = open.read(array, to, array.length - to);
      to += Math.max(count, 0);
      return count > 0;
    } catch (DecompressionException e) {
      throw corrupt(e);
    }
  }

  /** Moves what is left to the front of the window, or into a larger one where it is full. */
  private byte[] windowWithRoom() {
    byte[] array = window;
    if (array == null) {
      throw new IllegalStateException("the cursor is not open on compressed records");
    }
    if (to < array.length) {
      return array;
    }
    byte[] target = array;
    if (from == 0) {
      // Twice as much as has really come out, whatever the record claims.
      target = decompressor.pool().take(Math.multiplyExact(array.length, 2));
    }
    System.arraycopy(array, from, target, 0, to - from);
    to -= from;
    from = 0;
    if (target != array) {
      decompressor.pool().give(array);
      window = target;
      source = ByteBuffer.wrap(target);
    }
    return target;
  }

  private void ensureNothingLeft() throws CorruptBatchException {
    boolean left = from < to;
    if (!left && input != null) {
      from = 0;
      to = 0;
      left = fetchMore(input);
    }
    if (left) {
      throw corrupt("bytes follow the last of %d records".formatted(recordCount));
    }
  }

  private CorruptBatchException corrupt(String message) {
    return new CorruptBatchException(CorruptBatchException.Kind.RECORD, baseOffset, message);
  }

  private CorruptBatchException corrupt(DecompressionException e) {
    CorruptBatchException.Kind kind =
        e.isOverLimit()
            ? CorruptBatchException.Kind.TOO_LARGE
            : CorruptBatchException.Kind.COMPRESSION;
    return new CorruptBatchException(kind, baseOffset, String.valueOf(e.getMessage()), e);
  }
}
