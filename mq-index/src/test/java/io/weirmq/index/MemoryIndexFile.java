package io.weirmq.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** An index file on the heap that counts reads and can refuse writes. Safe for several threads. */
final class MemoryIndexFile implements IndexFile {

  private byte[] content = new byte[0];
  private int readCount;
  private boolean refusing;
  private boolean closed;

  static MemoryIndexFile of(byte[] content) {
    MemoryIndexFile file = new MemoryIndexFile();
    file.content = content.clone();
    return file;
  }

  synchronized byte[] content() {
    return content.clone();
  }

  synchronized int readCount() {
    return readCount;
  }

  synchronized void refuse(boolean on) {
    refusing = on;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public String name() {
    return "memory.index";
  }

  @Override
  public synchronized long size() {
    return content.length;
  }

  @Override
  public synchronized void read(ByteBuffer target, long position) {
    readCount++;
    int available = Math.max(0, content.length - (int) position);
    target.put(content, (int) position, Math.min(available, target.remaining()));
  }

  @Override
  public synchronized void write(ByteBuffer source, long position) throws IOException {
    if (refusing) {
      throw new IOException("no space left");
    }
    int end = (int) position + source.remaining();
    content = Arrays.copyOf(content, Math.max(content.length, end));
    source.get(content, (int) position, source.remaining());
  }

  @Override
  public synchronized void truncate(long length) {
    if (length < content.length) {
      content = Arrays.copyOf(content, (int) length);
    }
  }

  @Override
  public void force() {
    // The heap is as durable as it gets.
  }

  @Override
  public synchronized void close() {
    closed = true;
  }
}
