package io.weirmq.replication.metadata.internal;

import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that holds an image. Confined to one thread (the store's).
 *
 * <p>It is replaced in one step: the new text goes to a file beside it, is forced, takes the name,
 * and the folder is forced. So after any crash the file holds the text before or the one after, and
 * a text whose write succeeded is never lost.
 *
 * <p>Beside it lies a file of zeros that is written over where the disk has no room left.
 */
public final class MetadataFile {

  private static final String NEW_SUFFIX = ".new";
  private static final String RESERVE_SUFFIX = ".reserve";
  private static final int RESERVE_BYTES_MIN = 64 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(MetadataFile.class);

  private static final String PREVIOUS_SUFFIX = ".previous";

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

  /**
   * Reads the image; empty where there is no file yet.
   *
   * @throws StorageException where the file can't be read, is damaged, or is missing although there
   *     was one before; names file, position, what was expected and found, and what to do
   */
  public Optional<MetadataImage> read() throws StorageException {
    if (!files.exists(path)) {
      if (files.exists(previous())) {
        throw new StorageException(
            "%s is missing, but %s is there; %s".formatted(path, previous(), wayBack()));
      }
      return Optional.empty();
    }
    try {
      return Optional.of(MetadataText.decode(readBytes()));
    } catch (DamagedMetadataException e) {
      throw new StorageException(
          "%s is damaged: %s; nothing was changed; %s".formatted(path, e.getMessage(), wayBack()),
          e);
    } catch (IOException e) {
      throw new StorageException("%s can't be read: %s".formatted(path, e.getMessage()), e);
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
   * Keeps an image beside the file, for a human to go back to.
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

  private byte[] readBytes() throws IOException {
    try (LogFile in = files.open(path, OpenMode.READ)) {
      ByteBuffer text = ByteBuffer.allocate(Math.toIntExact(in.size()));
      in.readFully(text, 0);
      return text.array();
    }
  }

  private String wayBack() {
    return ("put back a copy, or take the state of the last start by renaming %s to %s: topics made"
            + " or deleted since then are then not known")
        .formatted(previous().getFileName(), path.getFileName());
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
