package io.weirmq.testkit.storage;

import io.weirmq.storage.io.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * A view of a file in memory for those who send it: reads at positions, {@link #size} and {@link
 * #transferTo} work, nothing else does. There is no file descriptor behind it, so a transport that
 * hands one to the operating system (epoll's sendfile) can't use it; one that calls {@code
 * transferTo} can.
 */
final class MemoryChannel extends FileChannel {

  private static final int CHUNK_BYTES = 8 * 1024;

  private final LogFile file;

  MemoryChannel(LogFile file) {
    this.file = file;
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    return file.read(target, position);
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    long done = 0;
    while (done < count) {
      ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, count - done));
      if (file.read(chunk, position + done) < 0) {
        break;
      }
      int written = target.write(chunk.flip());
      done += written;
      if (chunk.hasRemaining()) {
        break;
      }
    }
    return done;
  }

  private static UnsupportedOperationException unsupported(String operation) {
    return new UnsupportedOperationException(
        operation + " of a file in memory: it is read at positions and sent by transferTo only");
  }

  @Override
  public int read(ByteBuffer target) {
    throw unsupported("read at the channel's position");
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) {
    throw unsupported("scattering read");
  }

  @Override
  public int write(ByteBuffer source) {
    throw unsupported("write");
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) {
    throw unsupported("gathering write");
  }

  @Override
  public int write(ByteBuffer source, long position) {
    throw unsupported("write");
  }

  @Override
  public long position() {
    throw unsupported("position");
  }

  @Override
  public FileChannel position(long newPosition) {
    throw unsupported("position");
  }

  @Override
  public FileChannel truncate(long size) {
    throw unsupported("truncate");
  }

  @Override
  public void force(boolean metaData) {
    throw unsupported("force");
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count) {
    throw unsupported("transferFrom");
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw unsupported("map");
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) {
    throw unsupported("lock");
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) {
    throw unsupported("tryLock");
  }

  @Override
  protected void implCloseChannel() {
    // The file itself is closed by its owner.
  }
}
