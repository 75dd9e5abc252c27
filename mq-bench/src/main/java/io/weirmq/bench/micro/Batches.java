package io.weirmq.bench.micro;

import io.weirmq.storage.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/** Makes batches to append. Stateless. */
final class Batches {

  private static final int VALUE_BYTES = 100;

  private Batches() {}

  /**
   * Returns a batch of records with 100 random bytes each.
   *
   * @param bytesMax size that it stays below
   * @param timestampMs of all its records, milliseconds since the epoch
   * @return a direct buffer, as a transport's frames are
   */
  static ByteBuffer ofSize(int bytesMax, long timestampMs) {
    RandomGenerator random = new java.util.SplittableRandom(42);
    byte[] value = new byte[VALUE_BYTES];
    RecordBatchBuilder builder = new RecordBatchBuilder();
    int lastRecordBytes = VALUE_BYTES;
    while (builder.recordCount() == 0 || builder.sizeInBytes() + lastRecordBytes <= bytesMax) {
      int before = builder.sizeInBytes();
      random.nextBytes(value);
      builder.append(timestampMs, null, ByteBuffer.wrap(value));
      lastRecordBytes = builder.sizeInBytes() - before;
    }
    ByteBuffer batch = builder.build();
    return ByteBuffer.allocateDirect(batch.remaining()).put(batch).flip();
  }
}
