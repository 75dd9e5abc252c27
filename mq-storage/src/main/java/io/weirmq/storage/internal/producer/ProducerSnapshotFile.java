package io.weirmq.storage.internal.producer;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.StateFile;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A {@code .snapshot} file: the producers of a log up to the offset in its name.
 *
 * <pre>
 *   offset size
 *        0    2 version 1              (big-endian)
 *        2    4 CRC-32C of all bytes behind it
 *        6    4 number of entries
 *       10   46 per entry: producerId 8, producerEpoch 2, lastSequence 4, lastOffset 8,
 *               offsetDelta 4, timestamp 8, coordinatorEpoch 4, transactionFirstOffset 8 (-1 none)
 * </pre>
 *
 * <p>A damaged file is read as empty, with the damage named: the caller takes an older one and
 * replays the log. Single writer, many readers.
 */
public final class ProducerSnapshotFile {

  /** Bytes in front of the entries. */
  public static final int HEADER_BYTES = 10;

  /** Bytes of an entry. */
  public static final int ENTRY_BYTES = 46;

  private static final short VERSION = 1;
  private static final int VERSION_END = 2;
  private static final int CRC_END = 6;

  private final StateFile file;

  /** Names a file; nothing is touched. */
  public ProducerSnapshotFile(LogFileSystem files, Path path) {
    this.file = new StateFile(files, path);
  }

  /**
   * Reads the entries.
   *
   * @throws StorageException where the file exists and the disk refuses to read it
   */
  public StateReading<List<ProducerSnapshotEntry>> read() throws StorageException {
    Optional<byte[]> content = file.read();
    if (content.isEmpty()) {
      return new StateReading<>(List.of(), false, List.of());
    }
    ByteBuffer bytes = ByteBuffer.wrap(content.get());
    Optional<String> damage = damage(bytes);
    return damage.isPresent()
        ? new StateReading<>(List.of(), true, List.of(file.path() + ": " + damage.get()))
        : new StateReading<>(readEntries(bytes), true, List.of());
  }

  /**
   * Reads the entries of a file that is known to be whole: where it has the size of one without
   * entries it isn't opened, which spares a start the opening of most of them.
   *
   * @throws StorageException where the disk refuses to read it
   */
  public StateReading<List<ProducerSnapshotEntry>> readUnlessEmpty() throws StorageException {
    return file.hasSize(HEADER_BYTES) ? new StateReading<>(List.of(), true, List.of()) : read();
  }

  /**
   * Replaces the file, durably.
   *
   * @throws StorageException where the disk refuses
   */
  public void write(Collection<ProducerSnapshotEntry> entries) throws StorageException {
    file.replace(encode(entries));
  }

  /**
   * Replaces the file; a power cut may lose or damage it.
   *
   * @throws StorageException where the disk refuses
   */
  public void writeUnforced(Collection<ProducerSnapshotEntry> entries) throws StorageException {
    file.replaceUnforced(encode(entries));
  }

  /** Returns the content of a file with these entries, from position to limit. */
  public static ByteBuffer encode(Collection<ProducerSnapshotEntry> entries) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.addExact(HEADER_BYTES, ENTRY_BYTES * entries.size()));
    bytes.putShort(VERSION).putInt(0).putInt(entries.size());
    for (ProducerSnapshotEntry entry : entries) {
      bytes
          .putLong(entry.producerId())
          .putShort(entry.producerEpoch())
          .putInt(entry.lastSequence())
          .putLong(entry.lastOffset())
          .putInt(entry.offsetDelta())
          .putLong(entry.timestampMs())
          .putInt(entry.coordinatorEpoch())
          .putLong(entry.transactionFirstOffset());
    }
    return bytes.flip().putInt(VERSION_END, crc(bytes));
  }

  /**
   * Returns the entries of content that {@link #encode} made; empty where it is damaged.
   *
   * @param content from index 0 to the limit; its position is moved
   */
  public static Optional<List<ProducerSnapshotEntry>> decode(ByteBuffer content) {
    return damage(content).isPresent() ? Optional.empty() : Optional.of(readEntries(content));
  }

  private static Optional<String> damage(ByteBuffer bytes) {
    if (bytes.limit() < HEADER_BYTES) {
      return Optional.of("%d bytes; expected at least %d".formatted(bytes.limit(), HEADER_BYTES));
    }
    if (bytes.getShort(0) != VERSION) {
      return Optional.of("version is %d; expected %d".formatted(bytes.getShort(0), VERSION));
    }
    int stored = bytes.getInt(VERSION_END);
    int computed = crc(bytes);
    if (stored != computed) {
      return Optional.of(
          "checksum mismatch: expected 0x%08x (stored), computed 0x%08x"
              .formatted(stored, computed));
    }
    long expectedBytes = HEADER_BYTES + (long) ENTRY_BYTES * bytes.getInt(CRC_END);
    return expectedBytes == bytes.limit()
        ? Optional.empty()
        : Optional.of(
            "%d entries take %d bytes; found %d"
                .formatted(bytes.getInt(CRC_END), expectedBytes, bytes.limit()));
  }

  private static List<ProducerSnapshotEntry> readEntries(ByteBuffer bytes) {
    List<ProducerSnapshotEntry> entries = new ArrayList<>(bytes.getInt(CRC_END));
    bytes.position(HEADER_BYTES);
    while (bytes.hasRemaining()) {
      entries.add(
          new ProducerSnapshotEntry(
              bytes.getLong(),
              bytes.getShort(),
              bytes.getInt(),
              bytes.getLong(),
              bytes.getInt(),
              bytes.getLong(),
              bytes.getInt(),
              bytes.getLong()));
    }
    return entries;
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(CRC_END));
    return (int) crc.getValue();
  }
}
