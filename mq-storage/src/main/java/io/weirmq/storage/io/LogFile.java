package io.weirmq.storage.io;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * An open file, read and written at absolute positions.
 *
 * <p>Single writer, many readers: {@link #write}, {@link #truncate} and {@link #close} belong to
 * one thread at a time; everything else may run beside them.
 */
public interface LogFile extends AutoCloseable {

  /** The name that the file had when it was opened. */
  Path path();

  /**
   * Writes from the buffers, in their order, at a position. Bytes between the end of the file and
   * the position read as zeros.
   *
   * @param sources borrowed; the positions are moved behind the written bytes
   * @param count number of buffers to take, from the first, at least 1
   * @param position in bytes, 0 or more
   * @return the number of bytes written, which may be fewer than remain
   * @throws IOException where the disk refuses; some bytes may have been written
   */
  long write(ByteBuffer[] sources, int count, long position) throws IOException;

  /**
   * Reads into a buffer from a position.
   *
   * @param target borrowed; its position is moved behind the read bytes
   * @return the number of bytes read, which may be fewer than remain, or -1 at the end of the file
   * @throws IOException where the file can't be read
   */
  int read(ByteBuffer target, long position) throws IOException;

  /**
   * Cuts the file where it is longer.
   *
   * @param length in bytes, 0 or more
   * @throws IOException where it can't be cut
   */
  void truncate(long length) throws IOException;

  /**
   * Makes the written bytes durable. May block for as long as the disk takes.
   *
   * @throws IOException where the disk refuses; then nothing written since the last call that
   *     succeeded may be taken for durable
   */
  void force() throws IOException;

  /**
   * Returns the length in bytes.
   *
   * @throws IOException where it can't be read
   */
  long size() throws IOException;

  /**
   * The channel behind the file, for sendfile. Its own position must not be used, and it must not
   * be written or closed.
   */
  FileChannel channel();

  /**
   * The number of the file in its file system, by which another process knows that it has opened
   * the same one; empty where the system has no such numbers, or the name changed hands meanwhile.
   */
  default OptionalLong inode() {
    return OptionalLong.empty();
  }

  /** Closes the file; what was not forced may be lost. Closing again does nothing. */
  @Override
  void close() throws IOException;

  /**
   * Writes all bytes of the buffers, see {@link #write}.
   *
   * @return the number of bytes written
   * @throws IOException where the disk refuses; some bytes may have been written
   */
  default long writeFully(ByteBuffer[] sources, int count, long position) throws IOException {
    long remaining = 0;
    for (int i = 0; i < count; i++) {
      remaining += sources[i].remaining();
    }
    long written = 0;
    while (written < remaining) {
      written += write(sources, count, position + written);
    }
    return written;
  }

  /**
   * Writes all bytes of one buffer, see {@link #write}.
   *
   * @throws IOException where the disk refuses; some bytes may have been written
   */
  default void writeFully(ByteBuffer source, long position) throws IOException {
    writeFully(new ByteBuffer[] {source}, 1, position);
  }

  /**
   * Fills what remains of a buffer.
   *
   * @throws EOFException where the file ends before; the message names file and position
   * @throws IOException where the file can't be read
   */
  default void readFully(ByteBuffer target, long position) throws IOException {
    long next = position;
    while (target.hasRemaining()) {
      int count = read(target, next);
      if (count < 0) {
        throw new EOFException(
            "%s ends at position %d; %d more bytes expected"
                .formatted(path(), next, target.remaining()));
      }
      next += count;
    }
  }
}
