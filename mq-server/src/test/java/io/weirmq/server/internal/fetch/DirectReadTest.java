package io.weirmq.server.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.replication.HostedPartitions;
import io.weirmq.replication.Partition;
import io.weirmq.replication.metadata.LocalMetadataStore;
import io.weirmq.replication.metadata.MetadataChange;
import io.weirmq.server.internal.partition.DefaultConfigs;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.partition.ReadFailures;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.server.internal.request.StubClient;
import io.weirmq.server.internal.schedule.Scheduler;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendPipelines;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Direct reads of a partition whose high watermark is held back by a second replica in sync. */
class DirectReadTest {

  private static final int BROKER = 1;
  private static final int BATCH_BYTES = 61 + 1 + 6 + 10;

  @TempDir Path folder;

  private final StubClient client = new StubClient("LOCAL");
  private final List<Runnable> timers = new ArrayList<>();
  private final DelayedFetches waiting = new DelayedFetches(this::schedule);

  private LogDirectory directory;
  private AppendPipeline pipeline;
  private LocalMetadataStore store;
  private HostedPartitions partitions;
  private PublishedOffsets offsets;
  private DirectReadHandler handler;
  private final AtomicLong nowNs = new AtomicLong();
  private boolean placeFails;

  @BeforeEach
  void open() throws Exception {
    NioLogFileSystem files = new NioLogFileSystem();
    InstantSource clock = InstantSource.system();
    store = LocalMetadataStore.open(folder.resolve("metadata"), files, Runnable::run, BROKER);
    createTopic("a", new UUID(1, 1));
    directory =
        LogDirectories.open(
            folder.resolve("data"), LogDirectoryOptions.of(BROKER, "c"), files, clock);
    pipeline =
        AppendPipelines.open(
            PipelineOptions.defaults("test"),
            Thread::new,
            clock,
            (component, error) -> error.printStackTrace());
    partitions =
        HostedPartitions.open(
            BROKER, store, List.of(directory), List.of(pipeline), new DefaultConfigs());
    publish(PublishedOffsets.ENTRIES_MAX);
  }

  private void publish(int entriesMax) {
    offsets = new PublishedOffsets(this::place, nowNs::get, entriesMax);
    handler =
        new DirectReadHandler(
            new PartitionLookup(partitions, store),
            new ReadFailures(System::nanoTime),
            offsets,
            waiting);
  }

  private Path place() throws IOException {
    if (placeFails) {
      throw new IOException("no room");
    }
    return folder.resolve("offsets");
  }

  @AfterEach
  void close() throws Exception {
    offsets.close();
    assertThat(folder.resolve("offsets")).doesNotExist();
    partitions.close();
    pipeline.close();
    directory.close();
    store.close();
  }

  private Scheduler.Scheduled schedule(long delayMs, Runnable task) {
    timers.add(task);
    return () -> timers.remove(task);
  }

  private Partition partition() {
    return partitions.find("a", 0).orElseThrow();
  }

  /** Appends a batch of one record with a value of ten bytes. */
  private void append() throws Exception {
    append(
        new RecordBatchBuilder().append(0, null, ByteBuffer.wrap(new byte[10])).build(),
        AppendOrigin.CLIENT);
  }

  private void append(ByteBuffer batch, AppendOrigin origin) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    partition().tryAppend(batch, origin, (short) 1, result -> done.countDown());
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    settle();
  }

  /** Waits until what the writer tells others has been told. */
  private void settle() throws Exception {
    partition().execute(writer -> true).get(30, TimeUnit.SECONDS);
  }

  private void raiseHighWatermark(long offset) throws Exception {
    partition()
        .execute(
            writer -> {
              writer.advanceHighWatermark(offset);
              return true;
            })
        .get(30, TimeUnit.SECONDS);
  }

  private static DirectReadRequest request(long offset) {
    return new DirectReadRequest()
        .setTopic("a")
        .setFetchOffset(offset)
        .setMaxBytes(1_000_000)
        .setMaxWaitMs(0);
  }

  private CompletableFuture<DirectReadResponse> ask(DirectReadRequest request) {
    return handler
        .handle(new RequestContext((short) 0, 1, "test", client), request)
        .toCompletableFuture();
  }

  private DirectReadResponse answer(DirectReadRequest request) throws Exception {
    return ask(request).get(0, TimeUnit.SECONDS);
  }

  @Test
  void grantsNothingBehindTheHighWatermark() throws Exception {
    append();
    append();
    append();
    DirectReadResponse none = answer(request(0));
    assertThat(none.errorCode()).isZero();
    assertThat(none.lengthBytes()).isZero();
    assertThat(none.segmentPath()).isEmpty();

    raiseHighWatermark(2);
    DirectReadResponse two = answer(request(0));
    assertThat(two.highWatermark()).isEqualTo(2);
    assertThat(two.position()).isZero();
    assertThat(two.lengthBytes()).isEqualTo(2 * BATCH_BYTES);
    assertThat(Path.of(two.segmentPath())).isRegularFile();
    assertThat(Files.getAttribute(Path.of(two.segmentPath()), "unix:ino"))
        .isEqualTo(two.segmentInode());

    DirectReadResponse second = answer(request(1));
    assertThat(second.position()).isEqualTo(BATCH_BYTES);
    assertThat(second.lengthBytes()).isEqualTo(BATCH_BYTES);
    assertThat(answer(request(2)).lengthBytes()).isZero();
    assertThat(answer(request(3)).lengthBytes()).isZero();
  }

  @Test
  void aReaderWaitsForTheHighWatermark_notForTheEndOfTheLog() throws Exception {
    CompletableFuture<DirectReadResponse> read = ask(request(0).setMaxWaitMs(10_000));
    assertThat(waiting.count()).isEqualTo(1);
    append();
    client.runTasks();
    assertThat(read).isNotDone();

    raiseHighWatermark(1);
    append(); // tells listeners that something has moved
    client.runTasks();
    assertThat(read).isDone();
    assertThat(read.join().lengthBytes()).isEqualTo(BATCH_BYTES);
    assertThat(waiting.count()).isZero();
    assertThat(timers).isEmpty();
  }

  @Test
  void aWaitEndsWithItsTime_withTheConnection_andWithTheBroker() throws Exception {
    CompletableFuture<DirectReadResponse> timed = ask(request(0).setMaxWaitMs(10_000));
    List.copyOf(timers).forEach(Runnable::run);
    client.runTasks();
    assertThat(timed).isDone();

    CompletableFuture<DirectReadResponse> cut = ask(request(0).setMaxWaitMs(10_000));
    cut.cancel(false);
    assertThat(waiting.count()).isZero();

    CompletableFuture<DirectReadResponse> last = ask(request(0).setMaxWaitMs(10_000));
    waiting.finishAll();
    client.runTasks();
    assertThat(last).isDone();
    assertThat(waiting.count()).isZero();
  }

  @Test
  void publishesTheOffsetsOfPartitionsThatAreReadDirectly() throws Exception {
    append();
    DirectReadResponse response = answer(request(0));
    assertThat(response.offsetsPath()).isEqualTo(folder.resolve("offsets").toString());
    assertThat(Files.getAttribute(folder.resolve("offsets"), "unix:ino"))
        .isEqualTo(response.offsetsInode());
    assertThat(Files.getPosixFilePermissions(folder.resolve("offsets"))).hasSize(2);
    ByteBuffer entry = entry(response);
    assertThat(entry.getLong(PublishedOffsets.STATE)).isEqualTo(PublishedOffsets.LIVE);
    assertThat(entry.getLong(PublishedOffsets.HIGH_WATERMARK)).isZero();

    raiseHighWatermark(1);
    append();
    assertThat(entry.getLong(PublishedOffsets.HIGH_WATERMARK)).isEqualTo(1);
    assertThat(entry.getLong(PublishedOffsets.LAST_STABLE_OFFSET)).isEqualTo(1);

    assertThat(answer(request(0)).offsetsPosition()).isEqualTo(response.offsetsPosition());
    partitions.close();
    assertThat(entry.getLong(PublishedOffsets.STATE)).isEqualTo(PublishedOffsets.ENDED);
  }

  @Test
  void offsetsThatCouldNotBePublishedAreTriedAgainAMinuteLater() throws Exception {
    placeFails = true;
    assertThat(answer(request(0)).offsetsPath()).isEmpty();
    placeFails = false;
    nowNs.addAndGet(PublishedOffsets.RETRY_NS - 1);
    assertThat(answer(request(0)).offsetsPath()).isEmpty();
    nowNs.addAndGet(1);
    assertThat(answer(request(0)).offsetsPath()).isEqualTo(folder.resolve("offsets").toString());
  }

  @Test
  void anEntryThatHasEndedIsGivenToAnotherPartitionUnderTheNextGeneration() throws Exception {
    publish(1);
    createTopic("b", new UUID(2, 7));
    append();
    append();
    raiseHighWatermark(2);
    append();
    DirectReadResponse ofA = answer(request(0));
    ByteBuffer entry = entry(ofA);
    assertThat(entry.getLong(PublishedOffsets.STATE)).isEqualTo(PublishedOffsets.LIVE);
    assertThat(entry.getLong(PublishedOffsets.HIGH_WATERMARK)).isEqualTo(2);
    assertThat(entry.getLong(PublishedOffsets.TOPIC_ID + 8)).isEqualTo(1);
    assertThat(answer(request(0).setTopic("b")).offsetsPath()).as("the only one is a's").isEmpty();

    store.apply(new MetadataChange.DeleteTopic(new UUID(1, 1))).toCompletableFuture().join();
    DirectReadResponse ofB = answer(request(0).setTopic("b"));
    assertThat(ofB.offsetsPosition()).isEqualTo(ofA.offsetsPosition());
    assertThat(entry.getLong(PublishedOffsets.STATE)).isEqualTo(4 + PublishedOffsets.LIVE);
    assertThat(entry.getLong(PublishedOffsets.HIGH_WATERMARK)).isZero();
    assertThat(entry.getLong(PublishedOffsets.TOPIC_ID)).isEqualTo(2);
    assertThat(entry.getLong(PublishedOffsets.TOPIC_ID + 8)).isEqualTo(7);
    assertThat(entry.getLong(PublishedOffsets.PARTITION)).isZero();
    partitions.close();
    assertThat(entry.getLong(PublishedOffsets.STATE)).isEqualTo(4 + PublishedOffsets.ENDED);
  }

  @Test
  void aLineThatNobodyAsksForIsGivenBackAtTheNextAppend() throws Exception {
    publish(1);
    createTopic("b", new UUID(2, 7));
    DirectReadResponse ofA = answer(request(0));
    ByteBuffer entry = entry(ofA);
    nowNs.set(PublishedOffsets.IDLE_NS - 1);
    answer(request(0));
    nowNs.addAndGet(PublishedOffsets.IDLE_NS - 1);
    append();
    assertThat(entry.getLong(PublishedOffsets.STATE)).as("asked").isEqualTo(PublishedOffsets.LIVE);
    assertThat(answer(request(0).setTopic("b")).offsetsPath()).isEmpty();

    nowNs.addAndGet(1);
    append();
    raiseHighWatermark(2);
    append();
    assertThat(entry.getLong(PublishedOffsets.STATE)).isEqualTo(PublishedOffsets.ENDED);
    assertThat(entry.getLong(PublishedOffsets.HIGH_WATERMARK)).as("no store any more").isZero();
    assertThat(offsets.entryCount()).isZero();

    assertThat(answer(request(0)).offsetsPosition())
        .as("a reader that has seen the end asks")
        .isEqualTo(ofA.offsetsPosition());
    assertThat(entry.getLong(PublishedOffsets.STATE)).isEqualTo(4 + PublishedOffsets.LIVE);
    assertThat(entry.getLong(PublishedOffsets.HIGH_WATERMARK)).isEqualTo(2);
    assertThat(offsets.entryCount()).isEqualTo(1);
  }

  @Test
  void whereNoLineIsLeftThoseOfIdlePartitionsAreFound() throws Exception {
    publish(1);
    createTopic("b", new UUID(2, 7));
    DirectReadResponse ofA = answer(request(0));
    nowNs.set(PublishedOffsets.IDLE_NS - 1);
    assertThat(answer(request(0).setTopic("b")).offsetsPath()).isEmpty();
    nowNs.addAndGet(PublishedOffsets.RETRY_NS - 1);
    assertThat(answer(request(0).setTopic("b")).offsetsPath()).as("looked for just now").isEmpty();

    nowNs.addAndGet(1);
    assertThat(answer(request(0).setTopic("b")).offsetsPosition()).isEqualTo(ofA.offsetsPosition());
    assertThat(answer(request(0)).offsetsPath()).as("the only one is b's").isEmpty();
  }

  @Test
  void aFileThatWasRemovedIsMadeAnew() throws Exception {
    append();
    raiseHighWatermark(1);
    append();
    DirectReadResponse first = answer(request(0));
    ByteBuffer entry = entry(first);
    Path path = Path.of(first.offsetsPath());
    Files.delete(path);
    nowNs.set(PublishedOffsets.LOOK_NS - 1);
    assertThat(answer(request(0)).offsetsInode()).isEqualTo(first.offsetsInode());
    assertThat(path).doesNotExist();

    nowNs.addAndGet(1);
    DirectReadResponse second = answer(request(0));
    assertThat(entry.getLong(PublishedOffsets.STATE))
        .as("who has it open asks")
        .isEqualTo(PublishedOffsets.ENDED);
    assertThat(second.offsetsPath()).isEqualTo(first.offsetsPath());
    assertThat(second.offsetsInode()).isEqualTo(Files.getAttribute(path, "unix:ino"));
    assertThat(entry(second).getLong(PublishedOffsets.STATE)).isEqualTo(PublishedOffsets.LIVE);
    assertThat(entry(second).getLong(PublishedOffsets.HIGH_WATERMARK)).isEqualTo(1);
  }

  @Test
  void aFileOfAnotherUnderTheSameNameIsNotRemoved_andItsOwnIsMadeAnew() throws Exception {
    DirectReadResponse first = answer(request(0));
    PublishedOffsets mine = offsets;
    publish(1);
    DirectReadResponse second = answer(request(0));
    assertThat(second.offsetsInode()).isNotEqualTo(first.offsetsInode());
    mine.close();
    assertThat(Files.getAttribute(Path.of(second.offsetsPath()), "unix:ino"))
        .isEqualTo(second.offsetsInode());

    Files.move(Path.of(second.offsetsPath()), folder.resolve("moved"));
    Files.createFile(Path.of(second.offsetsPath()));
    nowNs.set(PublishedOffsets.LOOK_NS);
    DirectReadResponse third = answer(request(0));
    assertThat(Files.getAttribute(Path.of(third.offsetsPath()), "unix:ino"))
        .isEqualTo(third.offsetsInode())
        .isNotEqualTo(second.offsetsInode());
  }

  @Test
  void brokersOfTwoDataFoldersHaveTwoFiles_alsoAtOnePath() throws Exception {
    Path data = Files.createDirectory(folder.resolve("path"));
    String name = PublishedOffsets.fileName(data);
    Files.move(data, folder.resolve("other"));
    Files.createDirectory(data);
    assertThat(PublishedOffsets.fileName(data)).startsWith("offsets-").isNotEqualTo(name);
    assertThat(PublishedOffsets.fileName(folder.resolve("other"))).isEqualTo(name);
  }

  @Test
  void aFileThatCanNotBeMadeLeavesNothing() throws Exception {
    Path inTheWay = Files.createDirectories(folder.resolve("offsets").resolve("full"));
    assertThat(answer(request(0)).offsetsPath()).isEmpty();
    assertThat(folder.resolve("offsets.new")).doesNotExist();
    Files.delete(inTheWay);
    Files.delete(inTheWay.getParent());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 4096, (PublishedOffsets.ENTRIES_MAX + 1) * 64L - 1})
  void aFileThatWasCutIsNotWrittenToAnyMore_andTheBrokerGoesOn(long lengthBytes) throws Exception {
    createTopic("b", new UUID(2, 7));
    Path file = Path.of(answer(request(0)).offsetsPath());
    cut(file, lengthBytes);

    append();
    raiseHighWatermark(1);
    append();
    DirectReadResponse known = answer(request(0));
    assertThat(known.offsetsPath()).isEmpty();
    assertThat(known.lengthBytes()).isEqualTo(BATCH_BYTES);
    assertThat(answer(request(0).setTopic("b")).offsetsPath()).as("a new entry").isEmpty();
    assertThat(file).as("nothing makes it grow again").hasSize(lengthBytes);
    if (lengthBytes > 128) {
      assertThat(state(file)).as("its reader asks").isEqualTo(PublishedOffsets.ENDED);
    }

    restoreLength(file);
    append();
    assertThat(answer(request(0)).offsetsPath()).as("given up for good").isEmpty();
    CompletableFuture<DirectReadResponse> read = ask(request(1).setMaxWaitMs(10_000));
    raiseHighWatermark(2);
    append();
    client.runTasks();
    assertThat(read.join().lengthBytes()).as("who asks is woken").isEqualTo(BATCH_BYTES);
    partitions.close();
  }

  @Test
  void aFileIsCutBeforeAnEntryBegins() throws Exception {
    createTopic("b", new UUID(2, 7));
    cut(Path.of(answer(request(0)).offsetsPath()), 0);
    assertThat(answer(request(0).setTopic("b")).offsetsPath()).isEmpty();
    assertThat(answer(request(0)).offsetsPath()).isEmpty();
  }

  @Test
  void aFileIsCutBeforeAnEntryEnds() throws Exception {
    Path file = Path.of(answer(request(0)).offsetsPath());
    cut(file, 4096);
    store.apply(new MetadataChange.DeleteTopic(new UUID(1, 1))).toCompletableFuture().join();
    assertThat(state(file)).isEqualTo(PublishedOffsets.ENDED);
    createTopic("b", new UUID(2, 7));
    assertThat(answer(request(0).setTopic("b")).offsetsPath()).isEmpty();
  }

  private static void cut(Path file, long lengthBytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(lengthBytes);
    }
  }

  private static void restoreLength(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(
          ByteBuffer.allocate(1),
          (PublishedOffsets.ENTRIES_MAX + 1L) * PublishedOffsets.ENTRY_BYTES - 1);
    }
  }

  /** The state of the first entry. */
  private static long state(Path file) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(file))
        .order(ByteOrder.nativeOrder())
        .getLong(PublishedOffsets.ENTRY_BYTES + PublishedOffsets.STATE);
  }

  private void createTopic(String name, UUID id) {
    store
        .apply(new MetadataChange.CreateTopic(name, id, List.of(List.of(BROKER, 2)), Map.of()))
        .toCompletableFuture()
        .join();
  }

  private static ByteBuffer entry(DirectReadResponse response) throws Exception {
    try (FileChannel channel =
        FileChannel.open(Path.of(response.offsetsPath()), StandardOpenOption.READ)) {
      return channel
          .map(
              FileChannel.MapMode.READ_ONLY,
              response.offsetsPosition(),
              PublishedOffsets.ENTRY_BYTES)
          .order(ByteOrder.nativeOrder());
    }
  }

  @ParameterizedTest
  @CsvSource({
    // topic, partition, offset, max bytes, max wait
    "b,          0,                    0,          1000,          0, UNKNOWN_TOPIC_OR_PARTITION",
    "../a,       0,                    0,          1000,          0, UNKNOWN_TOPIC_OR_PARTITION",
    "a,          1,                    0,          1000,          0, UNKNOWN_TOPIC_OR_PARTITION",
    "a,         -1,                    0,          1000,          0, UNKNOWN_TOPIC_OR_PARTITION",
    "a, 2147483647,                    0,          1000, 2147483647, UNKNOWN_TOPIC_OR_PARTITION",
    "a,          0,                   -1,          1000, 2147483647, OFFSET_OUT_OF_RANGE",
    "a,          0,                    4,          1000, 2147483647, OFFSET_OUT_OF_RANGE",
    "a,          0,  9223372036854775807,    2147483647, 2147483647, OFFSET_OUT_OF_RANGE",
    "a,          0, -9223372036854775808,   -2147483648,         -1, OFFSET_OUT_OF_RANGE",
  })
  void aHostileRequestGetsAnError(
      String topic, int partition, long offset, int maxBytes, int maxWaitMs, ErrorCode expected)
      throws Exception {
    append();
    append();
    append();
    raiseHighWatermark(2);
    DirectReadResponse response =
        answer(
            request(offset)
                .setTopic(topic)
                .setPartition(partition)
                .setMaxBytes(maxBytes)
                .setMaxWaitMs(maxWaitMs));
    assertThat(ErrorCode.forCode(response.errorCode())).isEqualTo(expected);
    assertThat(response.segmentPath()).isEmpty();
    assertThat(waiting.count()).isZero();
  }

  @Test
  void sizesAreBounded_andOneBatchIsAlwaysGranted() throws Exception {
    append();
    append();
    append();
    raiseHighWatermark(3);
    assertThat(answer(request(0).setMaxBytes(Integer.MIN_VALUE)).lengthBytes())
        .isEqualTo(BATCH_BYTES);
    assertThat(answer(request(0).setMaxBytes(Integer.MAX_VALUE)).lengthBytes())
        .isEqualTo(3 * BATCH_BYTES);
    assertThat(answer(request(0).setMaxBytes(BATCH_BYTES + 7)).lengthBytes())
        .isEqualTo(BATCH_BYTES + 7);
  }

  @Test
  void epochsAndTopicIdsAreChecked() throws Exception {
    assertThat(answer(request(0).setCurrentLeaderEpoch(99)).errorCode())
        .isEqualTo(ErrorCode.UNKNOWN_LEADER_EPOCH.code());
    UUID id = answer(request(0)).topicId();
    assertThat(answer(request(0).setTopic("").setTopicId(id)).errorCode()).isZero();
    assertThat(answer(request(0).setTopic("").setTopicId(new UUID(7, 7))).errorCode())
        .isEqualTo(ErrorCode.UNKNOWN_TOPIC_ID.code());
  }

  @Test
  void readCommittedEndsAtTheStableOffset() throws Exception {
    append();
    append(
        new RecordBatchBuilder()
            .producer(5, (short) 0, 0)
            .transactional()
            .append(0, null, ByteBuffer.wrap(new byte[10]))
            .build(),
        AppendOrigin.CLIENT);
    raiseHighWatermark(2);
    append();
    byte readCommitted = 1;
    assertThat(answer(request(0).setIsolationLevel(readCommitted)).lengthBytes())
        .isEqualTo(BATCH_BYTES);
    assertThat(answer(request(0)).lengthBytes()).isEqualTo(2 * BATCH_BYTES);
    assertThat(RecordBatch.HEADER_BYTES).isEqualTo(61);
  }
}
