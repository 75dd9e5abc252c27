package io.weirmq.server.internal.fetch;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of {@link PublishedOffsets}, mapped for writing.
 *
 * <p>Somebody may cut it while it is mapped, and a store behind its end is a fault. So it stays
 * open, and {@link #isWhole()} looks at its length before each group of stores. A file that was cut
 * once is given up: nothing is stored into the mapping any more, also where it gets its length
 * back. It is never the reason for an exception.
 *
 * <p>Safe for use by several threads, as far as each position has one writer at a time.
 */
final class OffsetsFile {

  private static final Logger LOG = LoggerFactory.getLogger(OffsetsFile.class);

  /** Times to ask for the length, where an earlier fault comes between. */
  private static final int ASKED_MAX = 3;

  private static final long UNKNOWN = -1;

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final Path path;
  private final long inode;
  private final FileChannel channel;
  private final MappedByteBuffer memory;
  private final int lengthBytes;

  /** Set once; written under this object's monitor, read by any thread. */
  private volatile boolean givenUp;

  private OffsetsFile(
      Path path, long inode, FileChannel channel, MappedByteBuffer memory, int lengthBytes) {
    this.path = path;
    this.inode = inode;
    this.channel = channel;
    this.memory = memory;
    this.lengthBytes = lengthBytes;
  }

  /**
   * Makes the file with the magic and else nothing in it, in place of one that has its name. Where
   * that fails it leaves nothing of its own.
   *
   * @param lengthBytes its length, which never changes
   * @throws IOException where it can't be made, as for want of memory
   */
  static OffsetsFile create(Path path, int lengthBytes) throws IOException {
    Path fresh = path.resolveSibling(path.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    FileChannel channel =
        FileChannel.open(
            fresh,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      ByteBuffer first = ByteBuffer.allocate(lengthBytes).order(ByteOrder.nativeOrder());
      first.putLong(0, PublishedOffsets.MAGIC);
      // Written, not only sized: where memory is short this fails here and not by a signal later.
      while (first.hasRemaining()) {
        channel.write(first, first.position());
      }
      MappedByteBuffer memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, lengthBytes);
      long inode = inode(fresh);
      Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return new OffsetsFile(path, inode, channel, memory, lengthBytes);
    } catch (IOException | RuntimeException e) {
      removeAfter(e, fresh, channel);
      throw e;
    }
  }

  /** What was written of it takes memory of which there is none, perhaps. */
  private static void removeAfter(Exception failure, Path fresh, FileChannel channel) {
    try (channel) {
      Files.deleteIfExists(fresh);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private static long inode(Path path) throws IOException {
    return (Long) Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
  }

  Path path() {
    return path;
  }

  /** Its number in the file system. */
  long inode() {
    return inode;
  }

  /**
   * Whether readers that open its path find it: false where it was removed, as with its folder, or
   * another file has its name. A call into the system.
   */
  boolean isNamed() {
    try {
      return inode(path) == inode;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      LOG.debug("{} can't be looked at", path, e);
      return true; // which nothing speaks against
    }
  }

  /** Whether nothing is stored in it any more, as it was cut. */
  boolean isGivenUp() {
    return givenUp;
  }

  /**
   * Whether stores may be made now; to be asked before each group of them. Gives the file up where
   * it was cut, or its length can't be told.
   */
  boolean isWhole() {
    if (givenUp) {
      return false;
    }
    long found = foundBytes();
    if (found >= lengthBytes) {
      return true;
    }
    giveUp(found == UNKNOWN ? "of unknown length" : "%d bytes long".formatted(found), null);
    return false;
  }

  /**
   * Gives the file up, as a store into it was a fault.
   *
   * @param fault as the JVM reports it, maybe some stores later
   */
  void giveUp(InternalError fault) {
    long found = foundBytes();
    giveUp(
        found == UNKNOWN ? "of unknown length" : "%d bytes long after a fault".formatted(found),
        fault);
  }

  private synchronized void giveUp(String state, @Nullable InternalError fault) {
    if (givenUp) {
      return;
    }
    givenUp = true;
    LOG.warn(
        "Direct readers ask the broker for each record from now on, as offsets can't be published:"
            + " {} is {}, expected {} bytes",
        path,
        state,
        lengthBytes,
        fault);
  }

  /**
   * The file's length. A call into the system is where the JVM likes to report an earlier fault; it
   * does so once, so that the next call tells.
   */
  private long foundBytes() {
    for (int i = 0; i < ASKED_MAX; i++) {
      try {
        return channel.size();
      } catch (IOException e) {
        LOG.debug("length of {} is unknown", path, e);
        return UNKNOWN;
      } catch (InternalError e) {
        LOG.debug("an earlier fault was reported while the length of {} was read", path, e);
      }
    }
    return UNKNOWN;
  }

  /** Stores a value for readers that load it with acquire; only after {@link #isWhole()}. */
  void setRelease(int position, long value) {
    LONG.setRelease(memory, position, value);
  }

  /**
   * Writes a value where the file still has that position, which is no fault where it has not; for
   * a file that was given up. Readers see it sooner or later.
   */
  void writeIfThere(int position, long value) {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    bytes.putLong(0, value);
    try {
      if (channel.size() >= position + (long) Long.BYTES) {
        channel.write(bytes, position);
      }
    } catch (IOException | InternalError e) {
      LOG.debug("nothing can be written to {}", path, e);
    }
  }

  /**
   * Closes the file and removes its name, unless that is another file's by now; the mapping goes
   * when nobody refers to it any more.
   */
  void close() throws IOException {
    try (channel) {
      if (isNamed()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
