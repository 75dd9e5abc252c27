package io.weirmq.client.ipc;

import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A part of a segment file in memory, and the place in it.
 *
 * <pre>
 *   file     ... | batches taken | batches that are in the window | not read yet ... end |
 *                                ^ position()                     ^ filePosition
 * </pre>
 *
 * <p>Read by positional reads into one buffer: this costs a copy at the speed of the cache, makes
 * no mapping per growth of the file, and leaves nothing behind that only the garbage collector can
 * unmap. No byte behind the granted end is looked at, and nobody is hurt by a file that was
 * removed: it stays for whoever has it open. Confined to one thread.
 */
final class LogWindow implements AutoCloseable {

  /** What is found behind what was taken. */
  enum Next {
    /** The next batch is whole and in the window. */
    READY,
    /** There is nothing more up to the end. */
    AT_END,
    /** The last batch reaches beyond the end. */
    CUT
  }

  private final int batchBytesMax;
  private final RecordBatch batch = new RecordBatch();

  private ByteBuffer own;
  private ByteBuffer window;
  private int from;
  private int to;

  private @Nullable FileChannel file;
  private @Nullable Path path;
  private long inode;
  private long filePosition;
  private long end;

  LogWindow(int readBytes, int batchBytesMax) {
    this.batchBytesMax = batchBytesMax;
    this.own = ByteBuffer.allocateDirect(readBytes);
    this.window = own;
  }

  /**
   * Goes to a place of a file.
   *
   * @param length bytes that may be read
   * @throws java.nio.file.NoSuchFileException where it is not that file any more: ask again
   */
  void open(Path newPath, long newInode, long position, long length) throws IOException {
    leaveReceived();
    if (file == null || inode != newInode || !newPath.equals(path)) {
      close();
      file = SegmentFiles.open(newPath, newInode);
      path = newPath;
      inode = newInode;
    }
    filePosition = position;
    end = position + length;
  }

  /**
   * Goes to bytes that were received instead of a place in a file.
   *
   * @param records from position to limit; borrowed until the next call or {@link #close()}
   */
  void open(ByteBuffer records) throws IOException {
    close();
    window = records;
    from = records.position();
    to = records.limit();
  }

  private void leaveReceived() {
    window = own;
    from = 0;
    to = 0;
  }

  /** Whether there is a file to read on in. */
  boolean isOpen() {
    return file != null;
  }

  /** Lets the end be wherever the file ends now; of a file that grows. */
  void growing() {
    end = Long.MAX_VALUE;
  }

  /** Forgets what was read and not taken, so that it is read again: it may be written only now. */
  void discardUntaken() {
    filePosition -= to - from;
    from = 0;
    to = 0;
  }

  /**
   * Brings the next batch into the window.
   *
   * @throws ClosedByInterruptException where the thread was interrupted; the window is to be closed
   * @throws IOException where the file can't be read, or what is there is no batch
   */
  Next next() throws IOException {
    while (true) {
      int missing = missingBytes();
      if (missing == 0) {
        return Next.READY;
      }
      if (!read(missing)) {
        return from == to ? Next.AT_END : Next.CUT;
      }
    }
  }

  /** How many bytes of the next batch are not in the window, as far as known. */
  private int missingBytes() throws IOException {
    int present = to - from;
    if (present < RecordBatch.HEADER_BYTES) {
      return RecordBatch.HEADER_BYTES - present;
    }
    batch.wrap(window, from);
    int size = batch.sizeInBytes();
    if (size < RecordBatch.HEADER_BYTES || size > batchBytesMax) {
      throw new IpcException(
          "%s at position %d: batch claims %d bytes, expected %d to %d"
              .formatted(
                  path,
                  filePosition - present,
                  (long) batch.batchLength() + RecordBatch.LOG_OVERHEAD_BYTES,
                  RecordBatch.HEADER_BYTES,
                  batchBytesMax),
          null);
    }
    return Math.max(0, size - present);
  }

  private boolean read(int missing) throws IOException {
    FileChannel source = file;
    if (source == null) {
      return false;
    }
    makeRoom(missing);
    long wanted = Math.min(window.capacity() - to, end - filePosition);
    if (wanted <= 0) {
      return false;
    }
    window.limit(to + (int) wanted).position(to);
    int count;
    try {
      count = source.read(window, filePosition);
    } catch (ClosedByInterruptException e) {
      throw e; // says nothing of the file
    } catch (IOException e) {
      throw new IpcException(
          "%s can't be read at position %d: %s".formatted(path, filePosition, e), e);
    }
    if (count <= 0) {
      return false;
    }
    filePosition += count;
    to += count;
    return true;
  }

  private void makeRoom(int missing) {
    int present = to - from;
    if (present == 0) {
      from = 0;
      to = 0;
    }
    if (window.capacity() - to >= missing) {
      return;
    }
    window.limit(to).position(from);
    if (present + missing <= window.capacity()) {
      window.compact();
    } else {
      int doubled = (int) Math.min(batchBytesMax, 2L * window.capacity());
      own = ByteBuffer.allocateDirect(Math.max(doubled, present + missing)).put(window);
      window = own;
    }
    window.clear();
    from = 0;
    to = present;
  }

  /** The batch that {@link #next} has found {@link Next#READY}; its bytes are valid until then. */
  RecordBatch batch() {
    window.limit(to);
    return batch.wrap(window, from);
  }

  /** Steps over the present batch. */
  void take() {
    from += batch.sizeInBytes();
  }

  /** Where the next batch is, for messages. */
  String place() {
    return "%s at position %d"
        .formatted(file == null ? "what was received" : path, filePosition - (to - from));
  }

  /** Lets go of the file and of what is in the window. */
  @Override
  public void close() throws IOException {
    leaveReceived();
    FileChannel open = file;
    file = null;
    path = null;
    if (open != null) {
      open.close();
    }
  }
}
