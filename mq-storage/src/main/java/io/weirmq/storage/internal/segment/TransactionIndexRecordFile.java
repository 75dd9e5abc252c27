package io.weirmq.storage.internal.segment;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.internal.checkpoint.TextCheckpoint;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * {@code aborted-transactions}: which segments of a log have a transaction index, and what is in
 * it. There is no such file where no transaction was aborted.
 *
 * <pre>
 *   0                        version
 *   2                        number of entries
 *   0 12 1b2c3d4e            base offset, number of index entries, CRC-32C of these in hex
 *   20378 1 00c0ffee
 * </pre>
 *
 * <p>It is never the truth: an index that differs is made anew from the batches, and a line for a
 * segment that is not there is passed over. So it may be lost, torn or old. Single writer, many
 * readers.
 */
public final class TransactionIndexRecordFile {

  /** File name in the partition's folder. */
  public static final String NAME = "aborted-transactions";

  private final TextCheckpoint<TransactionIndexRecord> file;

  /** Names the file of a partition's folder; nothing is touched. */
  public TransactionIndexRecordFile(LogFileSystem files, Path partitionFolder) {
    this.file = new TextCheckpoint<>(files, partitionFolder.resolve(NAME), new RecordLine());
  }

  /**
   * Reads the records; what makes no sense is dropped and named.
   *
   * @throws StorageException where the file exists and the disk refuses to read it
   */
  public StateReading<List<TransactionIndexRecord>> read() throws StorageException {
    return file.read();
  }

  /**
   * Replaces the file.
   *
   * @param durably whether it is to outlive a power cut for certain
   * @throws StorageException where the disk refuses
   */
  public void write(Collection<TransactionIndexRecord> records, boolean durably)
      throws StorageException {
    if (durably) {
      file.write(records);
    } else {
      file.writeUnforced(records);
    }
  }

  /** The file's path. */
  @Override
  public String toString() {
    return file.path().toString();
  }

  private static final class RecordLine
      implements TextCheckpoint.LineFormat<TransactionIndexRecord> {

    @Override
    public void format(TransactionIndexRecord record, StringBuilder line) {
      line.append(record.baseOffset()).append(' ').append(record.entryCount()).append(' ');
      line.append("%08x".formatted(record.checksum()));
    }

    @Override
    public Optional<TransactionIndexRecord> parse(String line) {
      String[] parts = line.split(" ", -1);
      if (parts.length != 3 || !parts[2].matches("[0-9a-f]{8}")) {
        return Optional.empty();
      }
      List<Long> numbers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        if (!parts[i].matches("[0-9]{1,18}")) {
          return Optional.empty();
        }
        numbers.add(Long.parseLong(parts[i]));
      }
      boolean possible = numbers.get(1) >= 1 && numbers.get(1) <= Integer.MAX_VALUE;
      return possible
          ? Optional.of(
              new TransactionIndexRecord(
                  numbers.get(0),
                  numbers.get(1).intValue(),
                  Integer.parseUnsignedInt(parts[2], 16)))
          : Optional.empty();
    }
  }
}
