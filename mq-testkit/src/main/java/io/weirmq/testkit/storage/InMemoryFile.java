package io.weirmq.testkit.storage;

import io.weirmq.storage.io.LogFile;
import io.weirmq.testkit.storage.FileOperation.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Path;

/** An open file of an {@link InMemoryFileSystem}. Safe for use by several threads. */
final class InMemoryFile implements LogFile {

  private final Path path;
  private final FileNode node;
  private final Disk disk;
  private final boolean writable;
  private final MemoryChannel channel = new MemoryChannel(this);

  InMemoryFile(Path path, FileNode node, Disk disk, boolean writable) {
    this.path = path;
    this.node = node;
    this.disk = disk;
    this.writable = writable;
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public long write(ByteBuffer[] sources, int count, long position) throws IOException {
    int asked = 0;
    for (int i = 0; i < count; i++) {
      asked += sources[i].remaining();
    }
    if (asked == 0) {
      return 0;
    }
    ensureWritable();
    int transferred = disk.faults().transferred(asked);
    return disk.write(
        FileOperation.on(Kind.WRITE, path, position, transferred),
        bytesAllowed -> {
          ensureOpen();
          int taken =
              disk.fitting(node, Math.toIntExact(position), Math.min(transferred, bytesAllowed));
          byte[] bytes = take(sources, taken);
          disk.change(node, () -> node.write((int) position, bytes, disk.nowMs()));
          return taken;
        });
  }

  private static byte[] take(ByteBuffer[] sources, int count) {
    byte[] bytes = new byte[count];
    int done = 0;
    for (int i = 0; done < count; i++) {
      int part = Math.min(sources[i].remaining(), count - done);
      sources[i].get(bytes, done, part);
      done += part;
    }
    return bytes;
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    if (!target.hasRemaining()) {
      return 0;
    }
    int transferred = disk.faults().transferred(target.remaining());
    return (int)
        disk.read(
            FileOperation.on(Kind.READ, path, position, transferred),
            () -> {
              ensureOpen();
              return node.seen().read(target, position, transferred);
            });
  }

  @Override
  public void truncate(long length) throws IOException {
    ensureWritable();
    disk.run(
        FileOperation.on(Kind.TRUNCATE, path, length, 0),
        () -> {
          ensureOpen();
          int bytes = (int) Math.min(length, Integer.MAX_VALUE);
          disk.change(node, () -> node.truncate(bytes, disk.nowMs()));
          return 0L;
        });
  }

  @Override
  public void force() throws IOException {
    disk.force(
        FileOperation.on(Kind.FORCE, path),
        node,
        () -> {
          ensureOpen();
          node.force();
          return 0L;
        });
  }

  @Override
  public long size() throws IOException {
    return disk.run(
        FileOperation.on(Kind.LOOK, path),
        () -> {
          ensureOpen();
          return (long) node.seen().length();
        });
  }

  @Override
  public FileChannel channel() {
    return channel;
  }

  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      channel.close();
      disk.closed(node);
    }
  }

  private void ensureOpen() throws ClosedChannelException {
    if (!channel.isOpen()) {
      throw new ClosedChannelException();
    }
  }

  private void ensureWritable() {
    if (!writable) {
      throw new NonWritableChannelException();
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
