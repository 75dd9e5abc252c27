package io.weirmq.server.internal.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceRequest.PartitionProduceData;
import io.weirmq.protocol.message.ProduceRequest.TopicProduceData;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.replication.HostedPartitions;
import io.weirmq.replication.Partition;
import io.weirmq.replication.metadata.LocalMetadataStore;
import io.weirmq.replication.metadata.MetadataChange;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataListener;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.ProducerIdBlock;
import io.weirmq.server.internal.partition.DefaultConfigs;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.server.internal.request.StubClient;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendPipelines;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.transport.InboundFrame;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A produce request of three partitions that finds the append ring full at the second, and ones
 * whose hand-over fails.
 */
class SuspendedProduceTest {

  private static final int BROKER = 1;
  private static final int RING_SIZE = 2;
  private static final int ABSENT = 7;

  @TempDir Path folder;

  private final CountDownLatch writerMayGoOn = new CountDownLatch(1);
  private final StubClient client = new StubClient("PLAINTEXT");
  private final CountedFrame frame = new CountedFrame(new AtomicInteger());

  private LogDirectory directory;
  private AppendPipeline pipeline;
  private LocalMetadataStore store;
  private HostedPartitions partitions;

  @BeforeEach
  void open() throws Exception {
    NioLogFileSystem files = new NioLogFileSystem();
    InstantSource clock = InstantSource.system();
    store = LocalMetadataStore.open(folder.resolve("metadata"), files, Runnable::run, BROKER);
    store
        .apply(
            new MetadataChange.CreateTopic(
                "a",
                new UUID(1, 1),
                List.of(List.of(BROKER), List.of(BROKER), List.of(BROKER)),
                Map.of()))
        .toCompletableFuture()
        .join();
    directory =
        LogDirectories.open(
            folder.resolve("data"), LogDirectoryOptions.of(BROKER, "c"), files, clock);
    pipeline =
        AppendPipelines.open(
            PipelineOptions.defaults("test").withRingSize(RING_SIZE),
            Thread::new,
            clock,
            (component, error) -> error.printStackTrace());
    partitions =
        HostedPartitions.open(
            BROKER, store, List.of(directory), List.of(pipeline), new DefaultConfigs());
  }

  @AfterEach
  void close() throws Exception {
    writerMayGoOn.countDown();
    partitions.close();
    pipeline.close();
    directory.close();
    store.close();
  }

  private Partition partition(int index) {
    return partitions.find("a", index).orElseThrow();
  }

  /** Sends the request while the writer is held: one slot for its task, one for partition 0. */
  private ProduceOperation suspended() throws Exception {
    holdWriter();
    ProduceOperation operation = produce(store, 0, 1, 2);
    assertThat(client.isSuspended()).isTrue();
    assertThat(operation).isNotDone();
    return operation;
  }

  private void holdWriter() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    partition(0)
        .execute(
            writer -> {
              held.countDown();
              writerMayGoOn.await();
              return true;
            });
    assertThat(held.await(30, TimeUnit.SECONDS)).isTrue();
  }

  private ProduceOperation produce(MetadataStore metadata, int... indexes) {
    TopicProduceData topic = new TopicProduceData().setName("a");
    for (int index : indexes) {
      topic.partitionData().add(new PartitionProduceData().setIndex(index).setRecords(batch()));
    }
    ProduceRequest request = new ProduceRequest().setAcks((short) -1).setTimeoutMs(30_000);
    request.topicData().add(topic);
    ProduceHandler handler =
        new ProduceHandler(new PartitionLookup(partitions, metadata), System::nanoTime);
    RequestContext context = new RequestContext((short) 9, 1, "test", client);
    return (ProduceOperation) handler.handle(context, request, frame);
  }

  private static RecordsData batch() {
    return RecordsData.of(
        new RecordBatchBuilder().append(0, null, ByteBuffer.wrap(new byte[] {1})).build());
  }

  @Test
  void itGoesOnWhereItStoppedOnceThereIsRoom() throws Exception {
    ProduceOperation operation = suspended();
    writerMayGoOn.countDown();
    while (!operation.isDone()) {
      client.runTasks();
    }
    ProduceResponse response = operation.get();
    assertThat(response).isNotNull();
    assertThat(response.responses().get(0).partitionResponses())
        .hasSize(3)
        .allMatch(
            answer -> answer.errorCode() == ErrorCode.NONE.code() && answer.baseOffset() == 0);
    assertThat(client.isSuspended()).isFalse();
    assertThat(frame.releases).as("held until the answer was taken").hasValue(0);
    operation.releaseFrame();
    assertThat(frame.releases).hasValue(1);
  }

  @Test
  void aConnectionThatClosesMeanwhileGivesUpWhatWasNotHandedOver() throws Exception {
    ProduceOperation operation = suspended();

    operation.cancel(false);
    operation.releaseFrame();
    assertThat(frame.releases).as("partition 0 still borrows it").hasValue(0);
    writerMayGoOn.countDown();
    // Behind the append, and behind whatever the writer woke.
    for (int i = 0; i < 3; i++) {
      int index = i;
      long end = written(index);
      assertThat(end).as("partition %d", index).isEqualTo(index == 0 ? 1 : 0);
    }
    client.runTasks();

    for (int i = 1; i < 3; i++) {
      assertThat(written(i)).as("nobody goes on").isZero();
    }
    assertThat(frame.releases).hasValue(1);
  }

  @Test
  void aHandlerThatFailsReleasesTheFrameOnceWhatWasHandedOverIsWritten() throws Exception {
    holdWriter();

    assertThatThrownBy(() -> produce(new BrokenMetadata(), 0, ABSENT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no image");

    assertThat(frame.releases).as("partition 0 still borrows it").hasValue(0);
    writerMayGoOn.countDown();
    assertThat(written(0)).isEqualTo(1);
    assertThat(frame.releases).hasValue(1);
  }

  @Test
  void aHandlerThatFailsAtItsFirstBatchReleasesTheFrame() {
    assertThatThrownBy(() -> produce(new BrokenMetadata(), ABSENT, 0))
        .isInstanceOf(IllegalStateException.class);

    assertThat(frame.releases).hasValue(1);
  }

  @Test
  void aFailureAfterASuspensionIsThatOfTheAnswer() throws Exception {
    holdWriter();
    ProduceOperation operation = produce(new BrokenMetadata(), 0, 1, ABSENT);
    assertThat(client.isSuspended()).isTrue();
    writerMayGoOn.countDown();
    while (!operation.isDone()) {
      client.runTasks();
    }

    assertThatThrownBy(operation::get)
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("no image");
    operation.releaseFrame();
    for (int i = 0; i < 2; i++) {
      assertThat(written(i)).as("partition %d", i).isEqualTo(1);
    }
    assertThat(frame.releases).hasValue(1);
  }

  private long written(int index) throws Exception {
    Partition partition = partition(index);
    CountDownLatch room = new CountDownLatch(1);
    partition.whenWritable(room::countDown);
    assertThat(room.await(30, TimeUnit.SECONDS)).isTrue();
    return partition.execute(writer -> writer.log().logEndOffset()).get(30, TimeUnit.SECONDS);
  }

  private record CountedFrame(AtomicInteger releases) implements InboundFrame {

    @Override
    public ByteBuffer buffer() {
      return ByteBuffer.allocate(0);
    }

    @Override
    public void release() {
      releases.incrementAndGet();
    }
  }

  /** Fails where somebody asks why a partition is not here. */
  private static final class BrokenMetadata implements MetadataStore {

    @Override
    public MetadataImage image() {
      throw new IllegalStateException("no image");
    }

    @Override
    public CompletionStage<MetadataImage> apply(MetadataChange change) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<ProducerIdBlock> allocateProducerIds() {
      throw new UnsupportedOperationException();
    }

    @Override
    public MetadataImage subscribe(MetadataListener listener) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
