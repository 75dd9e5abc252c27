package io.weirmq.storage.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.OptionalLong;

/** A file of the machine's file system. */
final class NioLogFile implements LogFile {

  private final Path path;
  private final FileChannel channel;

  private final OptionalLong inode;

  NioLogFile(Path path, FileChannel channel, OptionalLong inode) {
    this.path = path;
    this.channel = channel;
    this.inode = inode;
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public long write(ByteBuffer[] sources, int count, long position) throws IOException {
    if (count == 1) {
      return channel.write(sources[0], position);
    }
    // There is no gathering write at a position; only the writer uses the channel's own position.
    channel.position(position);
    return channel.write(sources, 0, count);
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    return channel.read(target, position);
  }

  @Override
  public void truncate(long length) throws IOException {
    channel.truncate(length);
  }

  @Override
  public void force() throws IOException {
    // The length is metadata that a reader after a crash needs, so it is forced with the data:
    // fdatasync does that on Linux; other metadata, such as times, is not worth a second write.
    channel.force(false);
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public FileChannel channel() {
    return channel;
  }

  @Override
  public OptionalLong inode() {
    return inode;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
