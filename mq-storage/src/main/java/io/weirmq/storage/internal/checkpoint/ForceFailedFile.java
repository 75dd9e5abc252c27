package io.weirmq.storage.internal.checkpoint;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code force-failed}: tells the next start that a force of a log has failed, so that what lies
 * behind the recovery point has to be written again before a force counts for it.
 *
 * <p>An operating system that could not write a page may keep it as if it had: it is read as ever,
 * and the next force passes over it. The file is not forced. It matters only as long as such pages
 * live, and they live no longer than it does: both are gone when the operating system stops, and a
 * disk that does not even take this file is written to by nobody else.
 *
 * <p>The content is what the disk said, for people. Safe for use by several threads.
 */
public final class ForceFailedFile {

  /** File name in the partition's folder. */
  public static final String NAME = "force-failed";

  private static final Logger LOG = LoggerFactory.getLogger(ForceFailedFile.class);

  private final LogFileSystem files;
  private final Path path;

  /** Names the file of a partition's folder; nothing is touched. */
  public ForceFailedFile(LogFileSystem files, Path partitionFolder) {
    this.files = files;
    this.path = partitionFolder.resolve(NAME);
  }

  /**
   * Notes a force that failed. Where the disk refuses that too, the cause gets it as a suppressed
   * exception.
   */
  public void note(StorageException cause) {
    try (LogFile file = files.open(path, OpenMode.READ_WRITE)) {
      String text = cause.getMessage() + "\n";
      file.writeFully(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
    } catch (IOException e) {
      LOG.warn("{} can't be written: {}", path, e.toString());
      cause.addSuppressed(e);
    }
  }

  /**
   * Removes the file, once what was in doubt is written again.
   *
   * @throws StorageException where the disk refuses
   */
  public void remove() throws StorageException {
    try {
      files.deleteIfExists(path);
    } catch (IOException e) {
      throw new StorageException("%s can't be removed: %s".formatted(path, e), e);
    }
  }

  /** The file's path. */
  @Override
  public String toString() {
    return path.toString();
  }
}
