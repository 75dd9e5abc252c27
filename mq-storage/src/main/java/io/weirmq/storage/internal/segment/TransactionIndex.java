package io.weirmq.storage.internal.segment;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.producer.AbortedTransactionFormat;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The transaction index of a segment: the aborted transactions whose markers lie in it, in the
 * order of the markers. The file exists only where there are some, and is opened only while it is
 * used; see {@link AbortedTransactionFormat} for the layout.
 *
 * <p>Unlike the other indexes it is needed for right answers, so an entry is written before the
 * marker becomes readable. Single writer, many readers; a reader ignores a half entry at the end.
 */
public final class TransactionIndex {

  private static final int ENTRY_BYTES = AbortedTransactionFormat.ENTRY_BYTES;

  /** Entries read at a time. */
  private static final int WINDOW_ENTRIES = 240;

  private final LogFileSystem files;
  private final Path path;

  /** Names the file; nothing is touched. */
  public TransactionIndex(LogFileSystem files, Path path) {
    this.files = files;
    this.path = path;
  }

  /**
   * Appends entries.
   *
   * @throws StorageException where they can't be written; then none was added
   */
  public void append(List<AbortedTransaction> entries) throws StorageException {
    ByteBuffer bytes = encode(entries);
    try (LogFile file = files.open(path, OpenMode.READ_WRITE)) {
      long size = file.size() / ENTRY_BYTES * ENTRY_BYTES;
      try {
        file.writeFully(bytes, size);
      } catch (IOException e) {
        file.truncate(size);
        throw e;
      }
    } catch (IOException e) {
      throw new StorageException("%s can't be written: %s".formatted(path, e), e);
    }
  }

  /** Returns the bytes of entries, from position to limit. */
  static ByteBuffer encode(List<AbortedTransaction> entries) {
    ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(entries.size(), ENTRY_BYTES));
    entries.forEach(entry -> AbortedTransactionFormat.write(entry, bytes));
    return bytes.flip();
  }

  /**
   * Hands the entries over in their order until the visitor returns false.
   *
   * @return false where the visitor ended it
   * @throws StorageException where the file can't be read or has an entry that is none
   */
  public boolean visit(Predicate<AbortedTransaction> visitor) throws StorageException {
    try {
      return visitExisting(visitor);
    } catch (MissingException e) {
      return true;
    }
  }

  /**
   * As {@link #visit}, where there has to be a file.
   *
   * @throws MissingException where there is none
   */
  public boolean visitExisting(Predicate<AbortedTransaction> visitor) throws StorageException {
    try (LogFile file = files.open(path, OpenMode.READ)) {
      long count = file.size() / ENTRY_BYTES;
      ByteBuffer window =
          ByteBuffer.allocate(Math.toIntExact(Math.min(count, WINDOW_ENTRIES)) * ENTRY_BYTES);
      for (long entry = 0; entry < count; entry++) {
        int inWindow = (int) (entry % WINDOW_ENTRIES);
        if (inWindow == 0) {
          window.clear();
          window.limit((int) Math.min(WINDOW_ENTRIES, count - entry) * ENTRY_BYTES);
          file.readFully(window, entry * ENTRY_BYTES);
        }
        if (!visitor.test(entryAt(window, inWindow, entry))) {
          return false;
        }
      }
      return true;
    } catch (NoSuchFileException e) {
      throw new MissingException(path, e);
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException("%s can't be read: %s".formatted(path, e), e);
    }
  }

  /** An entry is none. */
  public static final class DamagedException extends StorageException {

    private static final long serialVersionUID = 1L;

    private DamagedException(Path path, long entry) {
      super("%s entry %d is damaged".formatted(path, entry));
    }
  }

  /** There is no file. */
  public static final class MissingException extends StorageException {

    private static final long serialVersionUID = 1L;

    private MissingException(Path path, NoSuchFileException cause) {
      super("%s is missing".formatted(path), cause);
    }
  }

  /**
   * Works out what is to be remembered of the file.
   *
   * @param baseOffset of the segment
   * @return empty where the file has no entry, or bytes that are none
   * @throws StorageException where it can't be read
   */
  public Optional<TransactionIndexRecord> record(long baseOffset) throws StorageException {
    Summary summary = new Summary(baseOffset, Long.MAX_VALUE, Integer.MAX_VALUE);
    return isPlausible(summary)
        ? Optional.of(new TransactionIndexRecord(baseOffset, summary.count, summary.checksum()))
        : Optional.empty();
  }

  /**
   * Tells whether the file can be believed: whole entries, with markers that rise within the
   * segment, the first of them those that were recorded.
   *
   * @param recorded null where nothing was
   * @param baseOffset of the segment
   * @param endOffset of the segment
   * @throws StorageException where the file can't be read
   */
  public boolean isSound(@Nullable TransactionIndexRecord recorded, long baseOffset, long endOffset)
      throws StorageException {
    int recordedCount = recorded == null ? 0 : recorded.entryCount();
    Summary summary = new Summary(baseOffset, endOffset, recordedCount);
    return isPlausible(summary)
        && summary.count >= recordedCount
        && (recorded == null || summary.checksum() == recorded.checksum());
  }

  /**
   * Tells whether the file has the size of so many entries.
   *
   * @throws StorageException where that can't be read
   */
  boolean hasEntries(int count) throws StorageException {
    try {
      return files.size(path) == (long) count * ENTRY_BYTES;
    } catch (IOException e) {
      throw new StorageException("size of %s can't be read: %s".formatted(path, e), e);
    }
  }

  private boolean isPlausible(Summary summary) throws StorageException {
    try {
      return files.size(path) % ENTRY_BYTES == 0 && visitExisting(summary) && summary.count > 0;
    } catch (NoSuchFileException | MissingException | DamagedException e) {
      return false;
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException("size of %s can't be read: %s".formatted(path, e), e);
    }
  }

  /** Goes along the entries; ends where markers don't rise within the segment. */
  private static final class Summary implements Predicate<AbortedTransaction> {

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer bytes = ByteBuffer.allocate(ENTRY_BYTES);
    private final long endOffset;
    private final int summed;
    private long lastOffset;
    private int count;

    /** The checksum is over so many entries from the first one on. */
    private Summary(long baseOffset, long endOffset, int summed) {
      this.lastOffset = baseOffset - 1;
      this.endOffset = endOffset;
      this.summed = summed;
    }

    @Override
    public boolean test(AbortedTransaction entry) {
      boolean rises = entry.lastOffset() > lastOffset && entry.lastOffset() < endOffset;
      lastOffset = entry.lastOffset();
      if (count < summed) {
        AbortedTransactionFormat.write(entry, bytes.clear());
        crc.update(bytes.flip());
      }
      count++;
      return rises;
    }

    private int checksum() {
      return (int) crc.getValue();
    }
  }

  private AbortedTransaction entryAt(ByteBuffer window, int inWindow, long entry)
      throws StorageException {
    Optional<AbortedTransaction> found =
        AbortedTransactionFormat.read(window, inWindow * ENTRY_BYTES);
    if (found.isEmpty()) {
      throw new DamagedException(path, entry);
    }
    return found.get();
  }

  /**
   * Returns whether the file, where there is one, has whole entries of markers below an offset
   * only.
   *
   * @throws IOException where it can't be read
   */
  public boolean endsBelow(long offset) throws IOException {
    if (!files.exists(path)) {
      return true;
    }
    if (files.size(path) % ENTRY_BYTES != 0) {
      return false;
    }
    try {
      return visit(entry -> entry.lastOffset() < offset);
    } catch (StorageException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      return false;
    }
  }

  /**
   * Returns the number of whole entries in the file.
   *
   * @throws StorageException where its size can't be read
   */
  public int entryCount() throws StorageException {
    try {
      return files.exists(path) ? Math.toIntExact(files.size(path) / ENTRY_BYTES) : 0;
    } catch (IOException e) {
      throw new StorageException("size of %s can't be read: %s".formatted(path, e), e);
    }
  }

  /**
   * Returns the CRC-32C of the first entries; of none it is 0.
   *
   * @param count how many, at most as many as there are
   * @throws StorageException where they can't be read
   */
  public int checksum(int count) throws StorageException {
    if (count == 0) {
      return 0;
    }
    CRC32C crc = new CRC32C();
    ByteBuffer window = ByteBuffer.allocate(WINDOW_ENTRIES * ENTRY_BYTES);
    try (LogFile file = files.open(path, OpenMode.READ)) {
      for (int done = 0; done < count; done += WINDOW_ENTRIES) {
        window.clear().limit(Math.min(WINDOW_ENTRIES, count - done) * ENTRY_BYTES);
        file.readFully(window, (long) done * ENTRY_BYTES);
        crc.update(window.flip());
      }
    } catch (IOException e) {
      throw new StorageException("%s can't be read: %s".formatted(path, e), e);
    }
    return (int) crc.getValue();
  }

  /**
   * Keeps the first entries only, durably; without any there is no file.
   *
   * @param count how many, at most as many as there are
   * @throws StorageException where the file can't be cut
   */
  public void truncateToCount(int count) throws StorageException {
    try {
      if (count == 0) {
        files.deleteIfExists(path);
        return;
      }
      try (LogFile file = files.open(path, OpenMode.READ_WRITE)) {
        file.truncate((long) count * ENTRY_BYTES);
        file.force();
      }
    } catch (IOException e) {
      throw new StorageException("%s can't be cut: %s".formatted(path, e), e);
    }
  }

  /**
   * Replaces the file; without entries there is none.
   *
   * @throws StorageException where the disk refuses; then nothing has changed
   */
  public void replace(List<AbortedTransaction> entries) throws StorageException {
    try {
      if (entries.isEmpty()) {
        files.deleteIfExists(path);
        return;
      }
      Path next = IndexFiles.temporary(path);
      files.deleteIfExists(next);
      try (LogFile file = files.open(next, OpenMode.CREATE_NEW)) {
        file.writeFully(encode(entries), 0);
        file.force();
      }
      files.rename(next, path);
    } catch (IOException e) {
      throw new StorageException("%s can't be replaced: %s".formatted(path, e), e);
    }
  }

  /**
   * Makes the file durable, where there is one.
   *
   * @throws StorageException where the disk refuses
   */
  public void force() throws StorageException {
    try (LogFile file = files.open(path, OpenMode.READ)) {
      file.force();
    } catch (NoSuchFileException e) {
      // The segment has no aborted transaction.
      return;
    } catch (IOException e) {
      throw new StorageException("%s can't be forced to the disk: %s".formatted(path, e), e);
    }
  }

  /**
   * Drops the entries whose marker lies at or behind an offset, durably: one that came back would
   * name records that were appended in the place of those it is about.
   *
   * @return whether entries are left
   * @throws StorageException where the file can't be read or cut
   */
  public boolean truncateTo(long offset) throws StorageException {
    int[] kept = {0};
    visit(
        entry -> {
          boolean keep = entry.lastOffset() < offset;
          kept[0] += keep ? 1 : 0;
          return keep;
        });
    try {
      long length = (long) kept[0] * ENTRY_BYTES;
      if (files.exists(path) && files.size(path) > length) {
        try (LogFile file = files.open(path, OpenMode.READ_WRITE)) {
          file.truncate(length);
          file.force();
        }
      }
      if (length == 0) {
        files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new StorageException("%s can't be cut: %s".formatted(path, e), e);
    }
    return kept[0] > 0;
  }
}
