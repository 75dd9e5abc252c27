package io.weirmq.storage.internal.compact;

import io.weirmq.storage.compress.Compressor;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Writes a batch anew with some of its records. Offsets, sequences, leader epoch and codec stay;
 * count, greatest timestamp, size and checksum become those of what is left.
 *
 * <p>Records are copied byte by byte: their deltas count from the base offset and the base
 * timestamp, which stay too. Only where the batch gets a delete horizon, which takes the place of
 * the base timestamp, timestamp deltas are written anew. Confined to one thread.
 */
final class BatchRewriter {

  private static final int INITIAL_BYTES = 16 * 1024;

  private final Compressor compressor;
  private final RecordView view = new RecordView();
  private final Bytes records = new Bytes(INITIAL_BYTES);
  private final Bytes shifted = new Bytes(INITIAL_BYTES);
  private final Bytes output = new Bytes(INITIAL_BYTES);
  private final byte[] header = new byte[RecordBatch.HEADER_BYTES];

  private int count;
  private long maxTimestampMs;

  BatchRewriter(Compressor compressor) {
    this.compressor = compressor;
  }

  /** Bytes of memory held now. */
  long heldBytes() {
    return (long) records.capacity() + shifted.capacity() + output.capacity();
  }

  /** Begins a batch. */
  void begin() {
    records.reset();
    count = 0;
    maxTimestampMs = RecordBatch.NO_TIMESTAMP;
  }

  /** Adds a record that stays. */
  void add(RecordView record, long timestampMs) {
    records.put(record.buffer(), record.position(), record.sizeInBytes());
    maxTimestampMs = count == 0 ? timestampMs : Math.max(maxTimestampMs, timestampMs);
    count++;
  }

  /** The number of records added. */
  int count() {
    return count;
  }

  /**
   * Makes the batch of the records added, as it was otherwise.
   *
   * @param batch the batch as it was
   * @return the new one, borrowed until the next call
   * @throws IOException where the codec is unknown
   */
  ByteBuffer finish(RecordBatch batch) throws IOException {
    return finish(batch, records, batch.baseTimestamp(), false);
  }

  /**
   * Makes the batch of the records added, with a delete horizon.
   *
   * @param horizonMs when tombstones and markers in it may go, milliseconds since the epoch
   */
  ByteBuffer finishWithHorizon(RecordBatch batch, long horizonMs) throws IOException {
    shifted.reset();
    ByteBuffer source = records.view();
    for (int at = 0; at < source.limit(); ) {
      int end = view.parse(source, at, source.limit());
      shift(source, end, horizonMs - batch.baseTimestamp());
      at = end;
    }
    return finish(batch, shifted, horizonMs, true);
  }

  /** Copies the record under the view with another timestamp delta. */
  private void shift(ByteBuffer source, int end, long shiftMs) {
    int attributes = skipVarint(source, view.position());
    int rest = skipVarint(source, attributes + 1);
    long delta = view.timestampDelta() - shiftMs;
    shifted.putVarint(1 + varlongBytes(delta) + end - rest);
    shifted.write(source.get(attributes));
    shifted.putVarlong(delta);
    shifted.put(source, rest, end - rest);
  }

  private static int skipVarint(ByteBuffer source, int position) {
    int at = position;
    while (source.get(at) < 0) {
      at++;
    }
    return at + 1;
  }

  private static int varlongBytes(long value) {
    long raw = (value << 1) ^ (value >> 63);
    return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(raw) + 6) / 7);
  }

  private ByteBuffer finish(
      RecordBatch batch, Bytes content, long baseTimestampMs, boolean newHorizon)
      throws IOException {
    output.reset();
    batch.buffer().get(batch.position(), header);
    output.write(header, 0, header.length);
    try (OutputStream block = compressor.open(batch.compressionType(), output)) {
      content.writeTo(block);
    }
    ByteBuffer fresh = output.view();
    int attributes = batch.attributes() | (newHorizon ? RecordBatch.DELETE_HORIZON_BIT : 0);
    fresh.putShort(RecordBatch.ATTRIBUTES_POSITION, (short) attributes);
    fresh.putLong(RecordBatch.BASE_TIMESTAMP_POSITION, baseTimestampMs);
    return stamp(fresh, batch.isLogAppendTime() ? batch.maxTimestamp() : maxTimestampMs, count);
  }

  /**
   * Makes a header without records.
   *
   * @param batch the batch as it was
   * @return the header, borrowed until the next call
   */
  ByteBuffer emptied(RecordBatch batch) {
    output.reset();
    batch.buffer().get(batch.position(), header);
    output.write(header, 0, header.length);
    ByteBuffer fresh = output.view();
    int attributes =
        batch.attributes() & ~(RecordBatch.COMPRESSION_MASK | RecordBatch.DELETE_HORIZON_BIT);
    fresh.putShort(RecordBatch.ATTRIBUTES_POSITION, (short) attributes);
    fresh.putLong(RecordBatch.BASE_TIMESTAMP_POSITION, batch.maxTimestamp());
    // The greatest timestamp stays: the age of the producer's state is counted from it.
    return stamp(fresh, batch.maxTimestamp(), 0);
  }

  private static ByteBuffer stamp(ByteBuffer fresh, long maxTimestampMs, int recordCount) {
    fresh.putInt(RecordBatch.LENGTH_POSITION, fresh.limit() - RecordBatch.LOG_OVERHEAD_BYTES);
    fresh.putLong(RecordBatch.MAX_TIMESTAMP_POSITION, maxTimestampMs);
    fresh.putInt(RecordBatch.RECORD_COUNT_POSITION, recordCount);
    RecordBatch.of(fresh).writeCrc();
    return fresh;
  }
}
