package io.weirmq.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;

/**
 * A range of a segment file: what a read returns, without a copy.
 *
 * <p>While a slice is held its file stays open and is not shortened, also where retention has
 * removed the segment meanwhile. The holder calls {@link #release()} exactly once. Confined to one
 * thread at a time.
 */
public interface LogSlice {

  /** Base offset of the first batch in the slice; the asked offset where the slice is empty. */
  long firstOffset();

  /** Position of the first byte in the file. */
  long position();

  /** Length in bytes; 0 where there is nothing to read. */
  int lengthBytes();

  /** The open segment file. Its own position must not be used. */
  FileChannel channel();

  /**
   * Copies the range into a buffer.
   *
   * @param target has at least {@link #lengthBytes()} remaining; its position is moved behind the
   *     copied bytes
   * @throws IOException where the file can't be read or ends early
   */
  void readFully(ByteBuffer target) throws IOException;

  /**
   * The file's name and number, for a reader in another process that opens it by itself; empty
   * where the slice is empty, or the file system has no such numbers.
   */
  default Optional<SegmentFile> file() {
    return Optional.empty();
  }

  /** Gives the file back. */
  void release();
}
