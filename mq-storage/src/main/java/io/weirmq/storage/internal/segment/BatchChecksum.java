package io.weirmq.storage.internal.segment;

import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Computes checksums of batches in a file, in one pass forwards. However long a batch claims to be,
 * no more than a window of it is in memory. Confined to one thread.
 */
public final class BatchChecksum {

  private static final int FIRST_READ_BYTES = 4 * 1024;
  private static final int WINDOW_BYTES = 64 * 1024;

  private final CRC32C crc = new CRC32C();
  private final ByteBuffer window = ByteBuffer.allocateDirect(WINDOW_BYTES).limit(0);
  private LogFile file;
  private long windowPosition;
  private int readBytes = FIRST_READ_BYTES;

  /** Begins with a file, which is borrowed. */
  public BatchChecksum(LogFile file) {
    this.file = file;
  }

  /** Goes on with another file, or with the same one anew. */
  void begin(LogFile other) {
    file = other;
    windowPosition = 0;
    window.limit(0);
  }

  /** The checksum of the bytes that a batch's checksum covers. */
  public int of(int position, int sizeBytes) throws IOException {
    long next = position + (long) RecordBatch.ATTRIBUTES_POSITION;
    long end = (long) position + sizeBytes;
    crc.reset();
    while (next < end) {
      if (next < windowPosition || next >= windowPosition + window.limit()) {
        fill(next);
      }
      int from = (int) (next - windowPosition);
      int to = (int) Math.min(end - windowPosition, window.limit());
      crc.update(window.duplicate().limit(to).position(from));
      next = windowPosition + to;
    }
    return (int) crc.getValue();
  }

  private void fill(long position) throws IOException {
    // Who goes on where the window ended reads on; who looks here and there reads little.
    long end = windowPosition + window.limit();
    boolean goesOn = end > 0 && position >= end && position <= end + RecordBatch.HEADER_BYTES;
    readBytes = goesOn ? Math.min(WINDOW_BYTES, readBytes * 2) : FIRST_READ_BYTES;
    window.clear().limit(readBytes);
    while (window.hasRemaining()) {
      int count = file.read(window, position + window.position());
      if (count < 0) {
        break;
      }
    }
    window.flip();
    windowPosition = position;
    if (!window.hasRemaining()) {
      throw new java.io.EOFException(
          "%s ends at position %d within a batch".formatted(file.path(), position));
    }
  }
}
