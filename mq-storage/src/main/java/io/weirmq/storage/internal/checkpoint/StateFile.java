package io.weirmq.storage.internal.checkpoint;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A small file that is read and replaced as a whole.
 *
 * <p>{@link #replace} works in the one order that survives a power cut at any point: write {@code
 * <name>.tmp}, force it, rename it over the old file, force the folder. A reader sees the old
 * content or the new one, never a mix.
 *
 * <p>Safe for use by several threads, but for replacing: one thread at a time.
 */
public final class StateFile {

  /**
   * Bytes above which a state file is not read: a checkpoint of a million partitions with names of
   * 40 characters takes 64 MiB.
   */
  public static final int BYTES_MAX = 256 * 1024 * 1024;

  private static final String TEMPORARY_SUFFIX = ".tmp";

  private final LogFileSystem files;
  private final Path path;

  /** Names a file; nothing is touched. */
  public StateFile(LogFileSystem files, Path path) {
    this.files = files;
    this.path = path;
  }

  private Path temporary() {
    return path.resolveSibling(path.getFileName() + TEMPORARY_SUFFIX);
  }

  /** The file's name. */
  public Path path() {
    return path;
  }

  /**
   * Returns the content; empty where there is no such file.
   *
   * @throws StorageException where the file can't be read, or exceeds {@link #BYTES_MAX}
   */
  public Optional<byte[]> read() throws StorageException {
    try (LogFile file = files.open(path, OpenMode.READ)) {
      long size = file.size();
      if (size > BYTES_MAX) {
        throw new StorageException(
            "%s has %d bytes; a state file has %d at most".formatted(path, size, BYTES_MAX));
      }
      byte[] content = new byte[(int) size];
      file.readFully(ByteBuffer.wrap(content), 0);
      return Optional.of(content);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException("%s can't be read: %s".formatted(path, e), e);
    }
  }

  /**
   * Tells whether the file exists and has a size, without opening it.
   *
   * @throws StorageException where the size can't be read
   */
  public boolean hasSize(long bytes) throws StorageException {
    try {
      return files.size(path) == bytes;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw new StorageException("size of %s can't be read: %s".formatted(path, e), e);
    }
  }

  /**
   * Makes the content that {@link #replaceUnforced} wrote durable; its name is durable with those
   * of its folder.
   *
   * @throws StorageException where the disk refuses, or there is no such file
   */
  public void forceContent() throws StorageException {
    try (LogFile file = files.open(path, OpenMode.READ)) {
      file.force();
    } catch (IOException e) {
      throw new StorageException("%s can't be forced to the disk: %s".formatted(path, e), e);
    }
  }

  /**
   * Replaces the content, durably. The folder must exist.
   *
   * @param content borrowed; its position is moved to the limit
   * @throws StorageException where the disk refuses; the file then has its old content or the new
   */
  public void replace(ByteBuffer content) throws StorageException {
    replace(content, true);
    forceName();
  }

  /**
   * Replaces the content, but not durably: a power cut may bring the old content back, or leave an
   * empty file. A killed process leaves the old content or the new. The folder must exist.
   *
   * @param content borrowed; its position is moved to the limit
   * @throws StorageException where the disk refuses; the file then has its old content or the new
   */
  public void replaceUnforced(ByteBuffer content) throws StorageException {
    replace(content, false);
  }

  /**
   * Writes the content of a replacement beside the file, durably; {@link #publish} puts it in
   * place. The folder must exist.
   *
   * @param content borrowed; its position is moved to the limit
   * @throws StorageException where the disk refuses; the file has its old content
   */
  public void prepare(ByteBuffer content) throws StorageException {
    try {
      write(content, true);
    } catch (IOException e) {
      throw new StorageException("%s can't be written: %s".formatted(temporary(), e), e);
    }
  }

  /**
   * Puts what was prepared in the file's place. The name is durable with those of its folder.
   *
   * @throws StorageException where the disk refuses; the file has its old content
   */
  public void publish() throws StorageException {
    try {
      files.rename(temporary(), path);
    } catch (IOException e) {
      throw new StorageException("%s can't be replaced: %s".formatted(path, e), e);
    }
  }

  private void replace(ByteBuffer content, boolean forced) throws StorageException {
    try {
      if (!forced) {
        // One that an earlier attempt left may be durable: its bytes must not turn up here instead.
        files.deleteIfExists(temporary());
      }
      write(content, forced);
      files.rename(temporary(), path);
    } catch (IOException e) {
      throw new StorageException("%s can't be replaced: %s".formatted(path, e), e);
    }
  }

  private void write(ByteBuffer content, boolean forced) throws IOException {
    try (LogFile file = files.open(temporary(), OpenMode.READ_WRITE)) {
      file.truncate(0);
      file.writeFully(content, 0);
      if (forced) {
        file.force();
      }
    }
  }

  private void forceName() throws StorageException {
    Path folder = path.toAbsolutePath().getParent();
    if (folder == null) {
      return;
    }
    try {
      files.forceDirectory(folder);
    } catch (IOException e) {
      throw new StorageException("name of %s can't be forced: %s".formatted(path, e), e);
    }
  }

  /**
   * Removes the file, durably, and a temporary one beside it.
   *
   * @return whether there was one
   * @throws StorageException where it can't be removed
   */
  public boolean delete() throws StorageException {
    try {
      files.deleteIfExists(temporary());
      boolean existed = files.deleteIfExists(path);
      Path folder = path.toAbsolutePath().getParent();
      if (existed && folder != null) {
        files.forceDirectory(folder);
      }
      return existed;
    } catch (IOException e) {
      throw new StorageException("%s can't be removed: %s".formatted(path, e), e);
    }
  }
}
