package io.weirmq.storage.internal.segment;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Writes batches of a segment again, each byte as it is, so that the next force covers them; see
 * {@code ForceFailedFile}. Torn, such a write leaves what was there or the same. Called by
 * recovery.
 */
public final class SegmentRewrite {

  private static final int CHUNK_BYTES = 64 * 1024;

  private SegmentRewrite() {}

  /**
   * Writes the bytes from a position to the end of the segment again.
   *
   * @param from in bytes, 0 or more
   * @throws StorageException where the file can't be read or written
   */
  public static void from(Segment segment, int from) throws StorageException {
    Path path = segment.file(SegmentFileKind.LOG);
    int size = segment.sizeBytes();
    if (from >= size) {
      return;
    }
    try (LogFile file = segment.environment().files().open(path, OpenMode.READ_WRITE)) {
      ByteBuffer chunk = ByteBuffer.allocate(Math.min(CHUNK_BYTES, size - from));
      for (int done = from; done < size; done += chunk.limit()) {
        chunk.clear().limit(Math.min(chunk.capacity(), size - done));
        file.readFully(chunk, done);
        file.writeFully(chunk.flip(), done);
      }
    } catch (IOException e) {
      throw new StorageException(
          "%s can't be written again from position %d on, after a force of it had failed: %s"
              .formatted(path, from, e),
          e);
    }
  }
}
