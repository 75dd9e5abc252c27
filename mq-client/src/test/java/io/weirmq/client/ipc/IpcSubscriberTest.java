package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.weirmq.transport.LocalEndpoints;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Subscribers that are behind. */
@Timeout(120)
class IpcSubscriberTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Ten times the ring. */
  private static final int STALL_BYTES = 10 * 1024 * 1024;

  @TempDir Path data;

  private LocalBroker broker;
  private IpcClient client;

  @BeforeEach
  void start() throws Exception {
    broker = LocalBroker.start(data);
    broker.createTopic("t", Map.of("segment.bytes", "1048576"));
    client = broker.client();
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    broker.close();
  }

  private void publish(int count, int valueBytes) throws Exception {
    publish("t", count, valueBytes);
  }

  private void publish(String topic, int count, int valueBytes) throws Exception {
    byte[] value = new byte[valueBytes];
    try (IpcPublisher publisher =
        client.publisher(topic, 0, PublisherOptions.defaults().withSizes(20_000, 200_000))) {
      for (int i = 0; i < count; i++) {
        while (publisher.offer(value, 0, valueBytes) < 0) {
          Thread.onSpinWait();
        }
      }
      assertThat(publisher.awaitAppended(count - 1, PATIENCE)).isTrue();
    }
  }

  private IpcSubscriber subscriber(SubscriberOptions.OutOfRange outOfRange) throws Exception {
    return client.subscriber(
        "t", 0, StartPosition.earliest(), SubscriberOptions.defaults().withOutOfRange(outOfRange));
  }

  private static List<Long> takeUpTo(IpcSubscriber subscriber, long end) throws Exception {
    List<Long> offsets = new ArrayList<>();
    long startNs = System.nanoTime();
    while (subscriber.position() < end && System.nanoTime() - startNs < PATIENCE.toNanos()) {
      subscriber.poll(record -> offsets.add(record.offset()), 1_000, Duration.ofMillis(100));
    }
    return offsets;
  }

  private void deleteRecordsBefore(long offset) throws Exception {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", broker.bootstrapServers());
    try (Admin admin = Admin.create(properties)) {
      admin
          .deleteRecords(Map.of(new TopicPartition("t", 0), RecordsToDelete.beforeOffset(offset)))
          .all()
          .get();
    }
  }

  /** It stalls while the broker waits for it, so that there is an answer that it does not take. */
  @Test
  @DisplayName("SM-07: a subscriber that stalls for ten rings of traffic costs nobody anything")
  void aStalledSubscriberHoldsUpNobodyAndMissesNothing() throws Exception {
    publish(1, 1000);
    SubscriberOptions sleepy =
        SubscriberOptions.defaults().withWaiting(Duration.ZERO, Duration.ZERO);
    int count = STALL_BYTES / 1000;
    try (IpcSubscriber stalled = client.subscriber("t", 0, StartPosition.earliest(), sleepy)) {
      assertThat(stalled.poll(record -> {}, 1, PATIENCE)).isEqualTo(1);
      assertThat(stalled.poll(record -> {}, 1, Duration.ofNanos(1))).isZero();
      await().atMost(PATIENCE).until(() -> LocalBroker.waitingReads() == 1);

      CompletableFuture<List<Long>> local = takeElsewhere(broker.client(), count + 1);
      CompletableFuture<List<Long>> remote = takeElsewhere(broker.remoteClient(), count + 1);
      publish(count, 1000);
      assertThat(local.get()).isEqualTo(offsets(0, count + 1));
      assertThat(remote.get()).isEqualTo(offsets(0, count + 1));
      await("nothing is held for the stalled one")
          .atMost(PATIENCE)
          .until(() -> LocalBroker.waitingReads() == 0);
      assertThat(LocalBroker.ringsFull()).as("answers that had to wait").isZero();

      assertThat(takeUpTo(stalled, count + 1)).isEqualTo(offsets(1, count + 1));
    }
  }

  /** Takes up to a position on a thread of its own, and closes all. */
  private static CompletableFuture<List<Long>> takeElsewhere(IpcClient other, long end) {
    CompletableFuture<List<Long>> taken = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try (other;
                  IpcSubscriber live =
                      other.subscriber(
                          "t", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
                taken.complete(takeUpTo(live, end));
              } catch (Exception e) {
                taken.completeExceptionally(e);
              }
            });
    thread.start();
    return taken;
  }

  @Test
  void anInterruptHarmsNoSubscriber() throws Exception {
    publish(100, 100);
    try (IpcSubscriber subscriber = subscriber(SubscriberOptions.OutOfRange.FAIL)) {
      assertThat(subscriber.poll(record -> {}, 1, PATIENCE)).isEqualTo(1);
      publish(100, 100);
      takeUpTo(subscriber, 200); // to the end of what is in hand
      publish(100, 100);

      Thread.currentThread().interrupt();
      assertThat(subscriber.poll(record -> {}, 1_000)).as("reads no file").isZero();
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
      assertThatThrownBy(() -> subscriber.poll(record -> {}, 1_000, PATIENCE))
          .isInstanceOf(InterruptedException.class);
      assertThat(Thread.interrupted()).as("taken by the exception").isFalse();

      assertThat(takeUpTo(subscriber, 300)).hasSize(100).startsWith(200L);
    }
  }

  @Test
  void segmentsMayBeRemovedUnderASubscriber() throws Exception {
    publish(3_000, 1000);
    try (IpcSubscriber going = subscriber(SubscriberOptions.OutOfRange.EARLIEST);
        IpcSubscriber failing = subscriber(SubscriberOptions.OutOfRange.FAIL)) {
      going.poll(record -> {}, 1, PATIENCE);
      failing.poll(record -> {}, 1, PATIENCE);
      deleteRecordsBefore(2_900);
      List<Long> offsets = takeUpTo(going, 3_000);
      int jump = offsets.indexOf(2_900L);
      assertThat(jump).as("what was open is read to its end").isGreaterThan(10);
      for (int i = 0; i < offsets.size(); i++) {
        assertThat(offsets.get(i)).isEqualTo(i < jump ? i + 1 : 2_900 + i - jump);
      }
      assertThat(offsets.get(offsets.size() - 1)).isEqualTo(2_999);
      assertThatThrownBy(() -> takeUpTo(failing, 3_000))
          .isInstanceOf(IpcException.class)
          .hasMessageContaining("is out of range, there are 2900 to 3000");
    }
  }

  /** Read and fetched; before the first record and behind the last one. */
  @ParameterizedTest
  @CsvSource({
    "true, 10, EARLIEST, 2900",
    "true, 9000, EARLIEST, 2900",
    "true, 10, LATEST, 3000",
    "false, 10, EARLIEST, 2900",
    "false, 9000, EARLIEST, 2900",
    "false, 10, LATEST, 3000"
  })
  void outOfRangeItGoesOnAsItIsTold(
      boolean direct, long start, SubscriberOptions.OutOfRange policy, long expected)
      throws Exception {
    publish(3_000, 100);
    deleteRecordsBefore(2_900);
    try (IpcClient other = direct ? broker.client() : broker.remoteClient();
        IpcSubscriber subscriber =
            other.subscriber(
                "t",
                0,
                StartPosition.offset(start),
                SubscriberOptions.defaults().withOutOfRange(policy))) {
      List<Long> taken = new ArrayList<>();
      long startNs = System.nanoTime();
      while (subscriber.position() == start && System.nanoTime() - startNs < PATIENCE.toNanos()) {
        subscriber.poll(record -> taken.add(record.offset()), 1);
      }
      publish(1, 100);
      taken.addAll(takeUpTo(subscriber, 3_001));
      assertThat(taken).isEqualTo(offsets(expected, 3_001));
      assertThat(subscriber.isDirect()).isEqualTo(direct);
    }
  }

  @Test
  void recordsMakeNoGarbage() throws Exception {
    int count = 100_000;
    publish(count, 100);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long[] sum = new long[1];
    RecordHandler handler =
        record -> sum[0] += record.buffer().get(record.valuePosition()) + record.valueLength();
    try (IpcSubscriber subscriber = subscriber(SubscriberOptions.OutOfRange.FAIL)) {
      while (subscriber.position() < count / 2) {
        subscriber.poll(handler, 1_000, PATIENCE);
      }
      long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
      while (subscriber.position() < count) {
        subscriber.poll(handler, 1_000, PATIENCE);
      }
      long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
      assertThat(sum[0]).isEqualTo(100L * count);
      // One to three kilobytes per segment and per sleep, some bytes per batch, none per record.
      assertThat(allocated).isLessThan(count / 2 * 10L);
    }
  }

  /** What is done to the file of published offsets. */
  private enum Damage {
    NOISE {
      @Override
      void doTo(Path file) throws IOException {
        byte[] noise = new byte[(int) Files.size(file)];
        new Random(1).nextBytes(noise);
        Files.write(file, noise, StandardOpenOption.WRITE);
      }
    },
    NOTHING_LEFT {
      @Override
      void doTo(Path file) throws IOException {
        cut(file, 0);
      }
    },
    FIRST_PAGE_LEFT {
      @Override
      void doTo(Path file) throws IOException {
        cut(file, 4096);
      }
    },
    MAGIC_LEFT {
      @Override
      void doTo(Path file) throws IOException {
        long length = Files.size(file);
        cut(file, 8);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.write(ByteBuffer.allocate(1), length - 1);
        }
      }
    };

    abstract void doTo(Path file) throws IOException;

    private static void cut(Path file, long lengthBytes) throws IOException {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(lengthBytes);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Damage.class)
  void damagedOffsetsCostNoRecord(Damage damage) throws Exception {
    broker.createTopic("later", Map.of());
    publish(100, 100);
    try (IpcSubscriber subscriber = subscriber(SubscriberOptions.OutOfRange.FAIL)) {
      assertThat(takeUpTo(subscriber, 100)).hasSize(100);
      publish(1, 100);
      assertThat(takeUpTo(subscriber, 101)).as("it follows").containsExactly(100L);

      damage.doTo(offsetsFile());
      assertThat(subscriber.poll(record -> {}, 1)).isZero();
      publish(100, 100);
      assertThat(takeUpTo(subscriber, 201)).isEqualTo(offsets(101, 201));
      publish(100, 100);
      assertThat(takeUpTo(subscriber, 301)).isEqualTo(offsets(201, 301));
      assertThat(subscriber.isDirect()).isTrue();
    }
    try (IpcSubscriber fresh = subscriber(SubscriberOptions.OutOfRange.FAIL);
        IpcSubscriber ofNewLine =
            client.subscriber("later", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
      assertThat(takeUpTo(fresh, 301)).isEqualTo(offsets(0, 301));
      publish(100, 100);
      assertThat(takeUpTo(fresh, 401)).isEqualTo(offsets(301, 401));
      publish("later", 10, 100);
      assertThat(takeUpTo(ofNewLine, 10)).isEqualTo(offsets(0, 10));
      publish("later", 10, 100);
      assertThat(takeUpTo(ofNewLine, 20)).isEqualTo(offsets(10, 20));
    }
  }

  /** A subscriber that never waits must not rely on the answer to a wait. */
  @ParameterizedTest
  @EnumSource(Damage.class)
  void damagedOffsetsCostNoRecordOfWhoNeverWaits(Damage damage) throws Exception {
    publish(100, 100);
    List<Long> taken = new ArrayList<>();
    try (IpcSubscriber subscriber = subscriber(SubscriberOptions.OutOfRange.FAIL)) {
      takeSpinning(subscriber, 100, taken);
      damage.doTo(offsetsFile());
      publish(100, 100);
      takeSpinning(subscriber, 200, taken);
      publish(100, 100);
      takeSpinning(subscriber, 300, taken);
    }
    assertThat(taken).isEqualTo(offsets(0, 300));
  }

  private static void takeSpinning(IpcSubscriber subscriber, long end, List<Long> taken)
      throws Exception {
    long startNs = System.nanoTime();
    while (subscriber.position() < end && System.nanoTime() - startNs < PATIENCE.toNanos()) {
      subscriber.poll(record -> taken.add(record.offset()), 1_000);
      Thread.onSpinWait();
    }
  }

  private static List<Long> offsets(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  /** The file of the only broker that runs; those that have stopped have removed theirs. */
  private static Path offsetsFile() throws IOException {
    try (Stream<Path> files = Files.list(LocalEndpoints.ofSystem().runtimeFolder())) {
      List<Path> found =
          files.filter(file -> file.getFileName().toString().startsWith("offsets-")).toList();
      assertThat(found).hasSize(1);
      return found.get(0);
    }
  }
}
