package io.weirmq.replication.metadata.internal;

import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that holds an image. Confined to one thread (the store's).
 *
 * <p>It is replaced in one step: the new text goes to a file beside it, is forced, takes the name,
 * and the folder is forced. So after any crash the file holds the text before or the one after, and
 * a text whose write succeeded is never lost.
 *
 * <p>A disk that breaks its word, or a person, may damage it nevertheless. The copy of an earlier
 * image, {@code .previous}, stands in then, and what was damaged is kept as {@code .damaged-1}.
 *
 * <p>Beside it lies a file of zeros that is written over where the disk has no room left.
 */
public final class MetadataFile {

  private static final String NEW_SUFFIX = ".new";
  private static final String RESERVE_SUFFIX = ".reserve";
  private static final int RESERVE_BYTES_MIN = 64 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(MetadataFile.class);

  private static final String PREVIOUS_SUFFIX = ".previous";

  private static final String DAMAGED_SUFFIX = ".damaged-";

  /** Damaged files that are kept for people to look at. */
  static final int DAMAGED_KEPT_MAX = 5;

  /** Bytes above which a file is not read: that of some ten million partitions. */
  private static final int TEXT_BYTES_MAX = 1 << 30;

  private final Path path;
  private final LogFileSystem files;

  /**
   * Names the file.
   *
   * @param path absolute, or its folder is the current one
   * @param files where it lies
   */
  public MetadataFile(Path path, LogFileSystem files) {
    this.path = path.toAbsolutePath();
    this.files = files;
  }

  /** The file. */
  public Path path() {
    return path;
  }

  /**
   * Reads the file; damage is a value.
   *
   * @throws StorageException where the disk refuses to read it, or a later version wrote it
   */
  public MetadataReading read() throws StorageException {
    return read(path);
  }

  /**
   * Reads the copy that {@link #writePrevious} left.
   *
   * @throws StorageException as {@link #read()}
   */
  public MetadataReading readPrevious() throws StorageException {
    return read(previous());
  }

  private MetadataReading read(Path file) throws StorageException {
    if (!files.exists(file)) {
      return new MetadataReading.Missing();
    }
    byte[] content = readBytes(file);
    int version = MetadataText.versionOf(content);
    if (version > MetadataText.VERSION) {
      throw new StorageException(
          "%s has format version %d, expected at most %d: a later version of the broker wrote it; nothing was changed"
              .formatted(file, version, MetadataText.VERSION));
    }
    try {
      return new MetadataReading.Whole(MetadataText.decode(content));
    } catch (DamagedMetadataException e) {
      return new MetadataReading.Damaged(
          String.valueOf(e.getMessage()), content, MetadataText.decodeBeginning(content));
    }
  }

  /**
   * Keeps the content of a damaged file under the name {@code .damaged-1}; older ones move on to
   * {@code .damaged-2} and so on, and the oldest goes. One that is kept already is not kept twice.
   * Where the disk has no room for a copy, the damaged file itself gets the name.
   *
   * @return where it is kept
   * @throws StorageException where the disk refuses even that
   */
  public Path keepDamaged(byte[] content) throws StorageException {
    Path kept = damaged(1);
    if (files.exists(kept) && Arrays.equals(readBytes(kept), content)) {
      return kept;
    }
    Path fresh = sibling(kept, NEW_SUFFIX);
    try {
      boolean copied = hasCopied(fresh, content);
      for (int number = DAMAGED_KEPT_MAX - 1; number >= 1; number--) {
        if (files.exists(damaged(number))) {
          files.rename(damaged(number), damaged(number + 1));
        }
      }
      files.rename(copied ? fresh : path, kept);
      files.forceDirectory(directory());
    } catch (IOException e) {
      throw new StorageException("%s can't be kept: %s".formatted(path, e.getMessage()), e);
    }
    return kept;
  }

  private boolean hasCopied(Path fresh, byte[] content) throws IOException {
    try {
      writeBytes(fresh, content);
      return true;
    } catch (IOException e) {
      LOG.warn("{} can't be copied and is renamed: {}", path, e.toString());
      files.deleteIfExists(fresh);
      return false;
    }
  }

  /**
   * Replaces the file's content, durably.
   *
   * @throws StorageException where that fails; the content before then still holds
   */
  public void write(MetadataImage image) throws StorageException {
    byte[] text = MetadataText.encode(image);
    Path fresh = sibling(path, NEW_SUFFIX);
    try {
      files.createDirectories(directory());
      try {
        writeBytes(fresh, text);
      } catch (IOException e) {
        writeOverReserve(fresh, text, e);
      }
      files.rename(fresh, path);
      files.forceDirectory(directory());
    } catch (IOException e) {
      throw new StorageException("%s can't be written: %s".formatted(path, e.getMessage()), e);
    }
    keepReserve(text.length);
  }

  /** On a full disk the deletion of a topic, which makes room, must not fail for want of it. */
  private void writeOverReserve(Path fresh, byte[] text, IOException cause) throws IOException {
    try {
      files.deleteIfExists(fresh);
      if (!files.exists(reserve())) {
        throw cause;
      }
      files.rename(reserve(), fresh);
      try (LogFile out = files.open(fresh, OpenMode.READ_WRITE)) {
        out.writeFully(ByteBuffer.wrap(text), 0);
        out.truncate(text.length);
        out.force();
      }
    } catch (IOException e) {
      if (e != cause) {
        cause.addSuppressed(e);
      }
      throw cause;
    }
  }

  private void keepReserve(int textBytes) {
    try {
      if (files.exists(reserve()) && files.size(reserve()) >= 2L * textBytes) {
        return;
      }
      try (LogFile out = files.open(reserve(), OpenMode.READ_WRITE)) {
        int bytes = Math.max(RESERVE_BYTES_MIN, Math.multiplyExact(textBytes, 4));
        out.writeFully(ByteBuffer.allocate(bytes), 0);
      }
    } catch (IOException | ArithmeticException e) {
      LOG.warn("{} is smaller than it should be: {}", reserve(), e.toString());
    }
  }

  private Path reserve() {
    return sibling(path, RESERVE_SUFFIX);
  }

  /**
   * Keeps an image beside the file, to be used where the file is damaged.
   *
   * @throws StorageException where that fails
   */
  public void writePrevious(MetadataImage image) throws StorageException {
    replace(previous(), image);
  }

  private void replace(Path target, MetadataImage image) throws StorageException {
    Path fresh = sibling(target, NEW_SUFFIX);
    try {
      files.createDirectoriesDurably(directory());
      writeBytes(fresh, MetadataText.encode(image));
      files.rename(fresh, target);
      files.forceDirectory(directory());
    } catch (IOException e) {
      throw new StorageException("%s can't be written: %s".formatted(target, e.getMessage()), e);
    }
  }

  private void writeBytes(Path file, byte[] text) throws IOException {
    files.deleteIfExists(file);
    try (LogFile out = files.open(file, OpenMode.CREATE_NEW)) {
      out.writeFully(ByteBuffer.wrap(text), 0);
      out.force();
    }
  }

  private byte[] readBytes(Path file) throws StorageException {
    try (LogFile in = files.open(file, OpenMode.READ)) {
      if (in.size() > TEXT_BYTES_MAX) {
        throw new StorageException(
            "%s has %d bytes, expected at most %d".formatted(file, in.size(), TEXT_BYTES_MAX));
      }
      ByteBuffer text = ByteBuffer.allocate((int) in.size());
      in.readFully(text, 0);
      return text.array();
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException("%s can't be read: %s".formatted(file, e.getMessage()), e);
    }
  }

  private Path damaged(int number) {
    return sibling(path, DAMAGED_SUFFIX + number);
  }

  private Path previous() {
    return sibling(path, PREVIOUS_SUFFIX);
  }

  private Path directory() {
    Path parent = path.getParent();
    return parent == null ? path.getRoot() : parent;
  }

  private static Path sibling(Path file, String suffix) {
    return file.resolveSibling(file.getFileName() + suffix);
  }
}
