package io.weirmq.examples;

import io.weirmq.storage.*;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.storage.record.*;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.time.InstantSource;
import java.util.*;
import java.util.concurrent.Semaphore;

/** A log of events in a folder: append, read by offset and by time, follow the tail, retention. */
public final class StorageOnlyExample implements AutoCloseable {
  private static final TopicPartition EVENTS = new TopicPartition("events", 0);
  private final InstantSource clock = InstantSource.system();
  private final Semaphore grown = new Semaphore(0);
  private final LogDirectory directory;
  private final AppendPipeline pipeline;
  private final PartitionLog log;
  private final LogAppender appender;

  /** Opens the log in a folder, or makes it; kept are about the last {@code bytesMax} bytes. */
  StorageOnlyExample(Path folder, long bytesMax) throws Exception {
    LogConfig config = new LogConfig.Builder().segmentBytes(4096).retentionBytes(bytesMax).build();
    var options = LogDirectoryOptions.of(1, "examples").withConfigOf(partition -> config);
    directory = LogDirectories.open(folder, options, new NioLogFileSystem(), clock);
    var known = directory.log(EVENTS);
    log = known.isPresent() ? known.get() : directory.create(EVENTS, UUID.randomUUID(), config);
    var queue = PipelineOptions.defaults("events");
    pipeline = AppendPipelines.open(queue, Thread::new, clock, (who, e) -> e.printStackTrace());
    appender =
        pipeline.attach(
            log,
            writer -> {
              writer.advanceHighWatermark(log.logEndOffset()); // what is written may be read
              grown.release();
            });
  }

  /** Appends an event and returns its offset once it can be read. */
  long append(long timeMs, ByteBuffer event) throws Exception {
    var batch = new RecordBatchBuilder().append(timeMs, null, event).build();
    var result = appender.append(new AppendRequest(batch, AppendOrigin.CLIENT, 0)).get();
    return ((AppendResult.Appended) result).baseOffset();
  }

  /** Reads events from an offset on; waits for one where there is none yet. */
  List<StoredRecord> read(long offset) throws Exception {
    while (log.highWatermark() <= offset) {
      grown.acquire();
    }
    LogSlice slice = log.read(offset, 1 << 20, log.highWatermark(), true);
    try {
      ByteBuffer batches = ByteBuffer.allocate(slice.lengthBytes());
      slice.readFully(batches);
      return StoredRecord.readAll(batches.flip(), new Decompressor());
    } finally {
      slice.release();
    }
  }

  /** Returns where the first event at or after a time is. */
  Optional<TimestampedOffset> find(long timeMs) throws Exception {
    return log.findByTimestamp(timeMs, log.highWatermark());
  }

  /** Removes old segments and returns the first offset that is left. */
  long retain() throws Exception {
    appender.execute(writer -> writer.applyRetention(clock.millis())).get();
    return log.logStartOffset();
  }

  @Override
  public void close() throws StorageException {
    pipeline.close();
    directory.close();
  }
}
