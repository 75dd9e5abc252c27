package io.weirmq.storage.internal.log;

import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Batches that wait for one write, in the order of their offsets. Confined to the log's writer.
 *
 * <p>The arrays grow to what a batch of events brings, and are kept.
 */
final class StagedBatches {

  private static final int FIRST_CAPACITY = 8;
  private static final ByteBuffer NONE = ByteBuffer.allocate(0);

  private ByteBuffer[] buffers = new ByteBuffer[0];
  private int[] positions = new int[0];
  private int[] sizes = new int[0];
  private long[] lastOffsets = new long[0];
  private long[] maxTimestamps = new long[0];
  private int count;
  private int sizeBytes;

  int count() {
    return count;
  }

  boolean isEmpty() {
    return count == 0;
  }

  int sizeBytes() {
    return sizeBytes;
  }

  int sizeBytes(int index) {
    return sizes[index];
  }

  long lastOffset(int index) {
    return lastOffsets[index];
  }

  long maxTimestampMs(int index) {
    return maxTimestamps[index];
  }

  /** The checksum in a batch's header. */
  int crc(int index) {
    return buffers[index].getInt(positions[index] + RecordBatch.CRC_POSITION);
  }

  void add(ByteBuffer batch, long lastOffset, long maxTimestampMs) {
    if (count == buffers.length) {
      grow();
    }
    buffers[count] = batch;
    positions[count] = batch.position();
    sizes[count] = batch.remaining();
    lastOffsets[count] = lastOffset;
    maxTimestamps[count] = maxTimestampMs;
    sizeBytes += sizes[count];
    count++;
  }

  private void grow() {
    int capacity = Math.max(FIRST_CAPACITY, count * 2);
    buffers = Arrays.copyOf(buffers, capacity);
    positions = Arrays.copyOf(positions, capacity);
    sizes = Arrays.copyOf(sizes, capacity);
    lastOffsets = Arrays.copyOf(lastOffsets, capacity);
    maxTimestamps = Arrays.copyOf(maxTimestamps, capacity);
  }

  /** Writes all batches; the buffers' positions are as before afterwards. */
  void writeTo(LogFile file, int position) throws IOException {
    try {
      file.writeFully(buffers, count, position);
    } finally {
      for (int i = 0; i < count; i++) {
        buffers[i].position(positions[i]);
      }
    }
  }

  void clear() {
    // The buffers belong to others again.
    Arrays.fill(buffers, 0, count, NONE);
    count = 0;
    sizeBytes = 0;
  }
}
