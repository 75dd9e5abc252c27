package io.weirmq.transport.shm.internal.folder;

import io.weirmq.transport.shm.internal.loop.MemoryFaults;
import io.weirmq.transport.shm.internal.ring.RingMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a connection's rings, mapped. Confined to one thread at a time.
 *
 * <p>It stays open after it is mapped, for one reason: a peer can cut it short, which makes each
 * access a fault, and only its length tells whose memory has failed ({@link #isWhole()}).
 *
 * <p>All of its pages are written before it is mapped: a file with holes on a full file system
 * would end the process with SIGBUS at the first write into a hole.
 */
public final class RingFile {

  private static final Logger LOG = LoggerFactory.getLogger(RingFile.class);

  private static final int ZEROS_BYTES = 64 * 1024;

  /** Times to ask for a length, where an earlier fault comes between. */
  private static final int ASKED_MAX = 3;

  private final Path path;
  private final RingSizes sizes;
  private final FileChannel channel;
  private final MappedByteBuffer memory;
  private final MemoryFaults faults = new MemoryFaults();
  private @Nullable MappingLedger ledger;

  private RingFile(Path path, RingSizes sizes, FileChannel channel) throws IOException {
    this.path = path;
    this.sizes = sizes;
    this.channel = channel;
    this.memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, sizes.fileBytes());
  }

  /**
   * Makes a file with two empty rings, for those who have access to the folder.
   *
   * @throws ShortMemoryException where memory is short; says how much is needed and how much is
   *     free
   * @throws IOException where it can't be made. No file is left behind in either case
   */
  static RingFile create(Path folder, String name, RingSizes sizes, FolderAccess access)
      throws IOException {
    Path path = folder.resolve(name);
    FileChannel channel =
        FileChannel.open(
            path,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(FolderAccess.newFileMode()));
    try {
      writeZeros(path, channel, sizes.fileBytes());
      RingFile file = new RingFile(path, sizes, channel);
      RingMemory.create(sizes.toServer(file.memory), 0);
      RingMemory.create(sizes.toClient(file.memory), 0);
      access.share(path);
      return file;
    } catch (IOException | RuntimeException | Error e) {
      delete(path);
      closeQuietly(channel);
      throw e;
    }
  }

  /**
   * Maps a file that the listening side has made.
   *
   * @param name as the listening side has sent it
   * @throws IOException where there is no such file, or it is not what was granted
   */
  public static RingFile open(Path folder, String name, RingSizes sizes) throws IOException {
    if (!FolderNames.isRing(name)) {
      throw new IOException(
          "the listener names a ring file '%s'; expected %s"
              .formatted(name, FolderNames.RING_PATTERN));
    }
    Path path = folder.resolve(name);
    FileChannel channel =
        FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    try {
      long found = channel.size();
      if (found != sizes.fileBytes()) {
        // A mapping beyond the end would fail at the first touch.
        throw new IOException(
            "ring file %s has %d bytes; expected %d".formatted(path, found, sizes.fileBytes()));
      }
      return new RingFile(path, sizes, channel);
    } catch (IOException | RuntimeException | Error e) {
      closeQuietly(channel);
      throw e;
    }
  }

  /** Has a ledger count the mapping until {@link #close}. */
  public void enter(MappingLedger mappings) {
    ledger = mappings;
    mappings.mapped(memory);
  }

  /** The file's name in its folder. */
  public String name() {
    return path.getFileName().toString();
  }

  /** The sizes of the rings. */
  public RingSizes sizes() {
    return sizes;
  }

  /**
   * The whole file, mapped; stays valid as long as it is referred to, also after {@link #unlink}.
   */
  public MappedByteBuffer memory() {
    return memory;
  }

  /** Takes the name away; the memory stays until both sides have let go of it. */
  public void unlink() {
    delete(path);
  }

  /**
   * Whether all of the memory is there; false also where the system does not tell.
   *
   * <p>A call into the system is where the JVM likes to report an earlier fault. It does so once,
   * so that the next call tells.
   */
  public boolean isWhole() {
    for (int i = 0; i < ASKED_MAX; i++) {
      try {
        return channel.size() >= sizes.fileBytes();
      } catch (IOException e) {
        LOG.debug("length of a ring file is unknown", e);
        return false;
      } catch (RuntimeException | InternalError e) {
        LOG.debug("an earlier fault was reported while the length of a ring file was read", e);
      }
    }
    return false;
  }

  /**
   * Has the JVM report now what it knows of faults of this thread; to be called where the memory is
   * not whole, before anything is closed. Within the JDK's own close a report would leave the
   * descriptor open for ever.
   */
  public void takeFaults() {
    for (int i = 0; i < ASKED_MAX; i++) {
      try {
        faults.report();
        return;
      } catch (InternalError e) {
        LOG.debug("a fault was reported", e);
      } catch (OutOfMemoryError e) {
        // Raised within the JVM too; the end of the connection must not wait for memory.
        LOG.debug("no memory to have faults reported", e);
        return;
      }
    }
  }

  /**
   * Closes the file; its memory goes when nobody refers to this object and its buffers any more.
   */
  public void close() {
    MappingLedger entered = ledger;
    if (entered != null) {
      ledger = null;
      entered.closed(sizes.fileBytes());
    }
    closeQuietly(channel);
  }

  private static void closeQuietly(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("ring file can't be closed", e);
    }
  }

  private static void writeZeros(Path path, FileChannel channel, long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(bytes, ZEROS_BYTES));
    long written = 0;
    try {
      while (written < bytes) {
        zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - written));
        written += channel.write(zeros);
      }
    } catch (IOException e) {
      FileStore store = Files.getFileStore(path.getParent());
      // What is written so far is given back when the file is deleted.
      throw new ShortMemoryException(
          ("cannot reserve shared memory in %s: %d bytes are needed, %d are free on %s (%s)."
                  + " Enlarge it (containers: --shm-size), use smaller rings, or another folder")
              .formatted(
                  path.getParent(), bytes, store.getUsableSpace() + written, store, e.getMessage()),
          e);
    }
  }

  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.warn("ring file {} can't be deleted; the next listener on its folder will", path, e);
    }
  }
}
