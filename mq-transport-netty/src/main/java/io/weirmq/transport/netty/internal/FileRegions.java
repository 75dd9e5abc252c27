package io.weirmq.transport.netty.internal;

import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import io.weirmq.transport.FileSlice;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/**
 * Turns file slices into what Netty sends by {@code sendfile}. The file is never closed here: the
 * slice's owner keeps it and is told by {@link FileSlice#release()}.
 */
final class FileRegions {

  /**
   * The JDK's file channel. Netty's native code reads the file descriptor out of an object of this
   * very class; given any other it would read arbitrary memory.
   */
  private static final String JDK_FILE_CHANNEL = "sun.nio.ch.FileChannelImpl";

  private FileRegions() {}

  /** Returns a region over the slice's range. */
  static FileRegion of(FileSlice slice) {
    if (slice.channel().getClass().getName().equals(JDK_FILE_CHANNEL)) {
      return new UnownedFileRegion(slice);
    }
    return new TransferRegion(slice);
  }

  /** A region that leaves its file open. */
  private static final class UnownedFileRegion extends DefaultFileRegion {

    UnownedFileRegion(FileSlice slice) {
      super(slice.channel(), slice.position(), slice.lengthBytes());
    }

    @Override
    protected void deallocate() {
      // The owner of the slice closes the file.
    }
  }

  /** A region over a file channel that is not the JDK's own, for instance a fault-injecting one. */
  private static final class TransferRegion extends AbstractReferenceCounted implements FileRegion {

    private final FileChannel channel;
    private final long position;
    private final long count;
    private long transferred;

    TransferRegion(FileSlice slice) {
      this.channel = slice.channel();
      this.position = slice.position();
      this.count = slice.lengthBytes();
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    @SuppressWarnings("deprecation") // the interface still demands the misspelt name
    public long transfered() {
      return transferred;
    }

    @Override
    public long transferred() {
      return transferred;
    }

    @Override
    public long count() {
      return count;
    }

    @Override
    public long transferTo(WritableByteChannel target, long from) throws IOException {
      long written = channel.transferTo(position + from, count - from, target);
      if (written <= 0 && channel.size() < position + count) {
        throw new EOFException(
            "file of %d bytes ends inside a slice at position %d with length %d"
                .formatted(channel.size(), position, count));
      }
      transferred += Math.max(0, written);
      return written;
    }

    @Override
    protected void deallocate() {
      // The owner of the slice closes the file.
    }

    @Override
    public FileRegion retain() {
      super.retain();
      return this;
    }

    @Override
    public FileRegion retain(int increment) {
      super.retain(increment);
      return this;
    }

    @Override
    public FileRegion touch() {
      return this;
    }

    @Override
    public FileRegion touch(Object hint) {
      return this;
    }
  }
}
