package io.weirmq.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** An index file over a {@link FileChannel}. Single writer, many readers. */
public final class ChannelIndexFile implements IndexFile {

  private final Path path;
  private final FileChannel channel;

  private ChannelIndexFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Opens a file for reading and writing; it is made where it doesn't exist.
   *
   * @throws IOException where it can't be opened
   */
  public static ChannelIndexFile open(Path path) throws IOException {
    return new ChannelIndexFile(
        path,
        FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE));
  }

  @Override
  public String name() {
    return path.toString();
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public void read(ByteBuffer target, long position) throws IOException {
    long next = position;
    while (target.hasRemaining()) {
      int count = channel.read(target, next);
      if (count < 0) {
        return;
      }
      next += count;
    }
  }

  @Override
  public void write(ByteBuffer source, long position) throws IOException {
    long next = position;
    while (source.hasRemaining()) {
      next += channel.write(source, next);
    }
  }

  @Override
  public void truncate(long length) throws IOException {
    channel.truncate(length);
  }

  @Override
  public void force() throws IOException {
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
