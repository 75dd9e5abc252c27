package io.weirmq.testkit.storage.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.internal.AppendTarget;
import io.weirmq.storage.internal.ValidatedBatch;
import io.weirmq.storage.internal.WritableLog;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.storage.record.StoredRecord;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import io.weirmq.testkit.storage.PowerCut;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A data folder in memory with one log, whose writer is the test's thread. */
final class DiskFolder {

  static final Path FOLDER = Path.of("/data");
  static final TopicPartition PARTITION = new TopicPartition("orders", 0);
  static final UUID TOPIC_ID = new UUID(1, 2);
  static final long T = 1_700_000_000_000L;

  /** A segment holds five of the batches that {@link #append} makes. */
  static final LogConfig SMALL =
      LogConfig.defaults().toBuilder().segmentBytes(400).index(10_000, 100).build();

  private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochMilli(T));

  private final InMemoryFileSystem disk;
  private final int checkpointBytes;
  private final LogDirectory directory;

  private DiskFolder(InMemoryFileSystem disk, LogConfig config, int checkpointBytes)
      throws StorageException {
    this.disk = disk;
    this.checkpointBytes = checkpointBytes;
    this.directory =
        LogDirectories.open(
            FOLDER,
            LogDirectoryOptions.of(1, "cluster")
                .withConfigOf(partition -> config)
                .withSegmentCheckpointBytes(checkpointBytes)
                .withLoadThreads(1, Thread::new),
            disk,
            CLOCK);
    if (directory.log(PARTITION).isEmpty()) {
      directory.create(PARTITION, TOPIC_ID, config);
    }
  }

  static DiskFolder open(LogConfig config) throws StorageException {
    return open(new InMemoryFileSystem(CLOCK), config);
  }

  static DiskFolder open(InMemoryFileSystem disk, LogConfig config) throws StorageException {
    return open(disk, config, LogDirectoryOptions.SEGMENT_CHECKPOINT_BYTES_DEFAULT);
  }

  /** Opens a folder whose logs get a checkpoint each time that so many bytes were appended. */
  static DiskFolder open(InMemoryFileSystem disk, LogConfig config, int checkpointBytes)
      throws StorageException {
    return new DiskFolder(disk, config, checkpointBytes);
  }

  InMemoryFileSystem disk() {
    return disk;
  }

  LogDirectory directory() {
    return directory;
  }

  PartitionLog log() {
    return directory.log(PARTITION).orElseThrow();
  }

  AppendTarget writer() {
    return ((WritableLog) log()).appendTarget();
  }

  /** What a restart finds after a power cut. */
  DiskFolder after(PowerCut cut) throws StorageException {
    return open(disk.cutPower(cut), log().config(), checkpointBytes);
  }

  /**
   * Appends batches of one record each, all of one size; their values are {@code prefix-offset}.
   */
  DiskFolder append(String prefix, int count) throws StorageException {
    for (int i = 0; i < count; i++) {
      long offset = log().logEndOffset();
      String value = "%s-%010d".formatted(prefix, offset);
      add(
          new RecordBatchBuilder()
              .append(T + offset, null, ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)))
              .build(),
          AppendOrigin.CLIENT);
    }
    return this;
  }

  /** Appends a transaction of one record that is aborted. */
  DiskFolder appendAborted(long producerId) throws StorageException {
    add(
        new RecordBatchBuilder()
            .producer(producerId, (short) 0, 0)
            .transactional()
            .append(T, null, ByteBuffer.wrap(new byte[10]))
            .build(),
        AppendOrigin.CLIENT);
    add(
        RecordBatchBuilder.endTransaction(
            new EndTransactionMarker(false, 1), producerId, (short) 0, T),
        AppendOrigin.COORDINATOR);
    return this;
  }

  private void add(ByteBuffer batch, AppendOrigin origin) throws StorageException {
    assertThat(append(batch, origin)).isInstanceOf(AppendResult.Appended.class);
  }

  /** Appends a batch, whatever comes of it. */
  AppendResult append(ByteBuffer batch, AppendOrigin origin) throws StorageException {
    RecordBatch view = RecordBatch.of(batch);
    AppendResult result =
        writer()
            .stage(
                new ValidatedBatch(batch, view.recordCount(), view.maxTimestamp(), 0),
                origin,
                0,
                T);
    writer().commit();
    writer().advanceHighWatermark(log().logEndOffset());
    return result;
  }

  /** The values of the log, in order; offsets must follow each other. */
  List<String> values() throws IOException {
    return values(log().logStartOffset(), log().logEndOffset());
  }

  /** The values of a range of offsets. */
  List<String> values(long from, long to) throws IOException {
    List<String> values = new ArrayList<>();
    long next = from;
    while (next < to) {
      LogSlice slice = log().read(next, 1, log().logEndOffset(), true);
      ByteBuffer bytes = ByteBuffer.allocate(slice.lengthBytes());
      slice.readFully(bytes);
      slice.release();
      for (StoredRecord record : StoredRecord.readAll(bytes.flip(), new Decompressor())) {
        assertThat(record.offset()).as("offset behind %s", values).isEqualTo(next);
        values.add(
            StandardCharsets.UTF_8
                .decode(java.util.Objects.requireNonNull(record.value()).duplicate())
                .toString());
        next = record.offset() + 1;
      }
    }
    return values;
  }

  /** The values that {@link #append} gives to a range of offsets. */
  static List<String> values(String prefix, int from, int to) {
    List<String> values = new ArrayList<>();
    for (int offset = from; offset < to; offset++) {
      values.add("%s-%010d".formatted(prefix, offset));
    }
    return values;
  }
}
