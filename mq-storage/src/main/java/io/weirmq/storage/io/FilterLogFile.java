package io.weirmq.storage.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * A file in front of another one, for subclasses that change, refuse or count some of what is asked
 * of it. As it is it passes everything on.
 *
 * <p>What a subclass must know:
 *
 * <ul>
 *   <li>{@link #writeFully} and {@link #readFully} are not passed on: they are made of {@link
 *       #write} and {@link #read} of this object, so that a subclass that overrides these sees
 *       every byte that goes through here
 *   <li>{@link #inode} and {@link #channel} are passed on, and with them a way around this object:
 *       sendfile and other processes read the file without calling {@link #read}. A subclass for
 *       which that is too much overrides them
 * </ul>
 *
 * <p>As safe for use by several threads as what it stands before.
 */
public abstract class FilterLogFile implements LogFile {

  private final LogFile file;

  /**
   * Stands before a file.
   *
   * @param file does what is passed on; closed with this one
   */
  protected FilterLogFile(LogFile file) {
    this.file = file;
  }

  /** What this stands before, for what is to go around this object. */
  protected final LogFile delegate() {
    return file;
  }

  @Override
  public Path path() {
    return file.path();
  }

  @Override
  public long write(ByteBuffer[] sources, int count, long position) throws IOException {
    return file.write(sources, count, position);
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    return file.read(target, position);
  }

  @Override
  public void truncate(long length) throws IOException {
    file.truncate(length);
  }

  @Override
  public void force() throws IOException {
    file.force();
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  @Override
  public FileChannel channel() {
    return file.channel();
  }

  @Override
  public OptionalLong inode() {
    return file.inode();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
