package io.weirmq.storage.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendPipelines;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.fixture.ManualClock;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.storage.record.StoredRecord;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole write path over real logs: many senders, few partitions, restarts. */
class PipelineOverLogTest {

  private static final long NOW_MS = PipelineFixture.NOW_MS;
  private static final int SENDERS = 4;
  private static final int BATCHES = 150;

  private final ManualClock clock = new ManualClock(NOW_MS);

  @TempDir Path folder;

  @Test
  @DisplayName("GT-01 senders that repeat everything once leave one copy each, in order")
  void gt01_everythingSentTwice() throws Exception {
    try (Broker broker = new Broker()) {
      PartitionLog log = broker.create("a");
      PartitionLog other = broker.create("b");
      LogAppender appender = broker.pipeline.attach(log, writer -> {});
      LogAppender toOther = broker.pipeline.attach(other, writer -> {});
      List<Thread> threads = new ArrayList<>();
      List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
      for (int sender = 0; sender < SENDERS; sender++) {
        int id = sender;
        Thread thread =
            new Thread(
                () -> {
                  send(broker.pipeline, appender, id);
                  send(broker.pipeline, toOther, id);
                },
                "sender-" + sender);
        thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join(TimeUnit.SECONDS.toMillis(60));
      }
      assertThat(failures).isEmpty();
      checkContent(log);
      checkContent(other);
    }
    // The same is known after a restart: a repetition is a repetition still.
    try (Broker broker = new Broker()) {
      PartitionLog log = broker.directory.log(new TopicPartition("a", 0)).orElseThrow();
      LogAppender appender = broker.pipeline.attach(log, writer -> {});
      for (int sender = 0; sender < SENDERS; sender++) {
        assertThat(append(broker.pipeline, appender, batch(sender, BATCHES - 1)))
            .isInstanceOf(AppendResult.Duplicate.class);
        assertThat(append(broker.pipeline, appender, batch(sender, BATCHES)))
            .isInstanceOf(AppendResult.Appended.class);
      }
    }
  }

  @Test
  void appendTimesAreStampedByTheLog() throws Exception {
    try (Broker broker = new Broker()) {
      PartitionLog log =
          broker.directory.create(
              new TopicPartition("a", 0),
              new UUID(1, 1),
              LogConfig.defaults().toBuilder().logAppendTime(true).build());
      LogAppender appender = broker.pipeline.attach(log, writer -> {});
      AppendResult result = append(broker.pipeline, appender, batch(0, 0));

      assertThat(result).isEqualTo(new AppendResult.Appended(0, 2, NOW_MS, 0));
      assertThat(read(log)).extracting(StoredRecord::timestampMs).containsOnly(NOW_MS);
    }
  }

  private static void send(AppendPipeline pipeline, LogAppender appender, int sender) {
    long[] offsets = new long[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
      AppendResult first = append(pipeline, appender, batch(sender, i));
      offsets[i] = ((AppendResult.Appended) first).baseOffset();
      AppendResult again = append(pipeline, appender, batch(sender, i));
      assertThat(((AppendResult.Duplicate) again).baseOffset()).isEqualTo(offsets[i]);
      if (i >= 4) {
        AppendResult older = append(pipeline, appender, batch(sender, i - 4));
        assertThat(((AppendResult.Duplicate) older).baseOffset()).isEqualTo(offsets[i - 4]);
      }
    }
  }

  private static void checkContent(PartitionLog log) throws Exception {
    List<StoredRecord> records = read(log);
    assertThat(records).hasSize(SENDERS * BATCHES * 3);
    Map<Integer, Integer> nextOfSender = new HashMap<>();
    long offset = 0;
    for (StoredRecord record : records) {
      assertThat(record.offset()).isEqualTo(offset++);
      ByteBuffer value = java.util.Objects.requireNonNull(record.value());
      int sender = value.getInt(0);
      assertThat(value.getInt(4)).isEqualTo(nextOfSender.getOrDefault(sender, 0));
      nextOfSender.merge(sender, 1, Integer::sum);
    }
  }

  private static List<StoredRecord> read(PartitionLog log) throws Exception {
    List<StoredRecord> records = new ArrayList<>();
    long next = 0;
    while (next < log.logEndOffset()) {
      LogSlice slice = log.read(next, 1 << 20, log.logEndOffset(), true);
      ByteBuffer bytes = ByteBuffer.allocate(slice.lengthBytes());
      slice.readFully(bytes);
      slice.release();
      List<StoredRecord> read = StoredRecord.readAll(bytes.flip(), new Decompressor());
      records.addAll(read);
      next = read.get(read.size() - 1).offset() + 1;
    }
    return records;
  }

  private static ByteBuffer batch(int sender, int index) {
    RecordBatchBuilder builder = new RecordBatchBuilder().producer(sender, (short) 0, index * 3);
    for (int i = 0; i < 3; i++) {
      ByteBuffer value = ByteBuffer.allocate(100).putInt(0, sender).putInt(4, index * 3 + i);
      builder.append(NOW_MS, null, value);
    }
    return builder.build();
  }

  private static AppendResult append(
      AppendPipeline pipeline, LogAppender appender, ByteBuffer batch) {
    AppendRequest request = new AppendRequest(batch, AppendOrigin.CLIENT, 0);
    CompletableFuture<AppendResult> result = new CompletableFuture<>();
    while (!appender.tryAppend(request, result::complete)) {
      CompletableFuture<String> room = new CompletableFuture<>();
      pipeline.whenWritable(() -> room.complete("room"));
      room.join();
    }
    return result.orTimeout(30, TimeUnit.SECONDS).join();
  }

  /** A data folder with a pipeline. */
  private final class Broker implements AutoCloseable {
    final LogDirectory directory;
    final AppendPipeline pipeline;

    Broker() throws StorageException {
      directory =
          LogDirectories.open(
              folder.resolve("data"),
              LogDirectoryOptions.of(1, "c"),
              new NioLogFileSystem(),
              clock);
      pipeline =
          AppendPipelines.open(
              PipelineOptions.defaults("test").withRingSize(4),
              body -> new Thread(body, "append-test"),
              clock,
              (component, error) -> {
                throw new AssertionError(component, error);
              });
    }

    PartitionLog create(String topic) throws Exception {
      // Small segments, so that rolls fall into the middle of commits.
      return directory.create(
          new TopicPartition(topic, 0),
          new UUID(1, topic.hashCode()),
          LogConfig.defaults().toBuilder().segmentBytes(20_000).build());
    }

    @Override
    public void close() throws StorageException {
      pipeline.close();
      directory.close();
    }
  }
}
