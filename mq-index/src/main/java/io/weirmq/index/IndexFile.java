package io.weirmq.index;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The file under an index. Reads may run beside each other and beside the one writer; everything
 * else is called by the writer only.
 */
public interface IndexFile extends AutoCloseable {

  /** The file's name, for messages. */
  String name();

  /**
   * Returns the length in bytes.
   *
   * @throws IOException where it can't be read
   */
  long size() throws IOException;

  /**
   * Fills the buffer from a position, or up to the end of the file.
   *
   * @param target borrowed; its position is moved behind the read bytes
   * @throws IOException where the file can't be read
   */
  void read(ByteBuffer target, long position) throws IOException;

  /**
   * Writes all of the buffer at a position.
   *
   * @param source borrowed; its position is moved behind the written bytes
   * @throws IOException where the disk refuses; some bytes may have been written
   */
  void write(ByteBuffer source, long position) throws IOException;

  /**
   * Cuts the file where it is longer.
   *
   * @throws IOException where it can't be cut
   */
  void truncate(long length) throws IOException;

  /**
   * Makes the written bytes durable.
   *
   * @throws IOException where the disk refuses
   */
  void force() throws IOException;

  /** Closes the file. */
  @Override
  void close() throws IOException;
}
