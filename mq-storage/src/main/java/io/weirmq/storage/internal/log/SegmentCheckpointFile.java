package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.StateFile;
import io.weirmq.storage.internal.producer.ProducerSnapshotEntry;
import io.weirmq.storage.internal.producer.ProducerSnapshotFile;
import io.weirmq.storage.internal.segment.IndexMark;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code segment-checkpoint}: the {@link SegmentCheckpoint} of a log.
 *
 * <pre>
 *   offset size
 *        0    2 version 1              (big-endian)
 *        2    4 CRC-32C of all bytes behind it
 *        6    8 base offset of the segment
 *       14    8 offset
 *       22    4 position
 *       26    4 position of the last batch in front of it
 *       30    4 checksum in the header of that batch
 *       34    4 leader epoch
 *       38    8 transaction index: number of entries 4, CRC-32C of them 4
 *       46   16 offset index: number of entries 4, offset 8 and position 4 of the last
 *       62   20 time index: number of entries 4, timestamp 8 and offset 8 of the last
 *       82      the producers, as in a .snapshot file
 * </pre>
 *
 * <p>A file that is missing or damaged is no checkpoint: recovery begins at the segment's start.
 * Confined to one thread at a time.
 */
public final class SegmentCheckpointFile {

  /** File name in the partition's folder. */
  public static final String NAME = "segment-checkpoint";

  private static final Logger LOG = LoggerFactory.getLogger(SegmentCheckpointFile.class);

  private static final short VERSION = 1;
  private static final int CRC_POSITION = 2;
  private static final int CRC_END = 6;
  private static final int PRODUCERS_POSITION = 82;

  private final StateFile file;

  /** Names the file of a partition's folder; nothing is touched. */
  public SegmentCheckpointFile(LogFileSystem files, Path partitionFolder) {
    this.file = new StateFile(files, partitionFolder.resolve(NAME));
  }

  /**
   * Reads the checkpoint.
   *
   * @return empty where there is none, or it is damaged
   * @throws StorageException where the file exists and the disk refuses to read it
   */
  public Optional<SegmentCheckpoint> read() throws StorageException {
    Optional<byte[]> content = file.read();
    if (content.isEmpty()) {
      return Optional.empty();
    }
    Optional<SegmentCheckpoint> checkpoint = decode(ByteBuffer.wrap(content.get()));
    if (checkpoint.isEmpty()) {
      LOG.warn("{} is damaged and dropped", file.path());
    }
    return checkpoint;
  }

  /**
   * Writes what is to be the checkpoint beside the file, durably.
   *
   * @throws StorageException where the disk refuses
   */
  void prepare(SegmentCheckpoint checkpoint) throws StorageException {
    file.prepare(encode(checkpoint));
  }

  /**
   * Puts what was prepared in the file's place; durable once the folder is forced.
   *
   * @throws StorageException where the disk refuses
   */
  void publish() throws StorageException {
    file.publish();
  }

  /**
   * Removes the file, durably.
   *
   * @throws StorageException where the disk refuses
   */
  public void delete() throws StorageException {
    file.delete();
  }

  private static ByteBuffer encode(SegmentCheckpoint checkpoint) {
    ByteBuffer producers = ProducerSnapshotFile.encode(checkpoint.producers());
    IndexMark indexes = checkpoint.indexes();
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.addExact(PRODUCERS_POSITION, producers.remaining()))
            .putShort(VERSION)
            .putInt(0)
            .putLong(checkpoint.baseOffset())
            .putLong(checkpoint.offset())
            .putInt(checkpoint.position())
            .putInt(checkpoint.lastBatchPosition())
            .putInt(checkpoint.lastBatchCrc())
            .putInt(checkpoint.leaderEpoch())
            .putInt(checkpoint.abortedCount())
            .putInt(checkpoint.abortedChecksum())
            .putInt(indexes.offsetEntries())
            .putLong(indexes.lastOffset())
            .putInt(indexes.lastPosition())
            .putInt(indexes.timeEntries())
            .putLong(indexes.timestampMs())
            .putLong(indexes.timestampOffset())
            .put(producers)
            .flip();
    return bytes.putInt(CRC_POSITION, crc(bytes));
  }

  private static Optional<SegmentCheckpoint> decode(ByteBuffer bytes) {
    if (bytes.limit() < PRODUCERS_POSITION
        || bytes.getShort() != VERSION
        || bytes.getInt() != crc(bytes)) {
      return Optional.empty();
    }
    Optional<List<ProducerSnapshotEntry>> producers =
        ProducerSnapshotFile.decode(
            bytes.slice(PRODUCERS_POSITION, bytes.limit() - PRODUCERS_POSITION));
    return producers.map(
        entries ->
            new SegmentCheckpoint(
                bytes.getLong(),
                bytes.getLong(),
                bytes.getInt(),
                bytes.getInt(),
                bytes.getInt(),
                bytes.getInt(),
                bytes.getInt(),
                bytes.getInt(),
                new IndexMark(
                    bytes.getInt(),
                    bytes.getLong(),
                    bytes.getInt(),
                    bytes.getInt(),
                    bytes.getLong(),
                    bytes.getLong()),
                entries));
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(CRC_END));
    return (int) crc.getValue();
  }

  /** The file's path. */
  @Override
  public String toString() {
    return file.path().toString();
  }
}
