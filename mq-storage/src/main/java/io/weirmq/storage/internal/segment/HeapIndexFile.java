package io.weirmq.storage.internal.segment;

import io.weirmq.index.IndexFile;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * An index file that is none: its bytes are on the heap, because the disk had no room for them. It
 * is gone when it is closed. Memory: as large as the file would be, 8 or 12 bytes per {@code
 * index.interval.bytes} of the segment. Safe for use by several threads.
 */
final class HeapIndexFile implements IndexFile {

  private static final int FIRST_CAPACITY = 512;

  private final String name;
  private byte[] content = new byte[0];
  private int size;

  HeapIndexFile(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized long size() {
    return size;
  }

  @Override
  public synchronized void read(ByteBuffer target, long position) {
    int length = (int) Math.min(Math.max(0, size - position), target.remaining());
    target.put(content, (int) Math.min(position, size), length);
  }

  @Override
  public synchronized void write(ByteBuffer source, long position) {
    int length = source.remaining();
    int end = Math.toIntExact(position + length);
    if (end > content.length) {
      content = Arrays.copyOf(content, Math.max(end, Math.max(FIRST_CAPACITY, content.length * 2)));
    }
    source.get(content, (int) position, length);
    size = Math.max(size, end);
  }

  @Override
  public synchronized void truncate(long length) {
    if (length < size) {
      Arrays.fill(content, (int) length, size, (byte) 0);
      size = (int) length;
    }
  }

  @Override
  public void force() {
    // Nothing here outlives the process, and nobody believes it does.
  }

  @Override
  public void close() {
    // The collector takes it.
  }
}
