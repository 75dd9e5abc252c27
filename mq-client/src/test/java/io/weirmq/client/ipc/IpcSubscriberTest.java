package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
    byte[] value = new byte[valueBytes];
    try (IpcPublisher publisher =
        client.publisher("t", 0, PublisherOptions.defaults().withSizes(20_000, 200_000))) {
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

  @Test
  @DisplayName("SM-07: a subscriber that stalls for ten rings of traffic costs nobody anything")
  void aStalledSubscriberHoldsUpNobodyAndMissesNothing() throws Exception {
    publish(1, 1000);
    try (IpcSubscriber subscriber = subscriber(SubscriberOptions.OutOfRange.FAIL)) {
      assertThat(subscriber.poll(record -> {}, 1, PATIENCE)).isEqualTo(1);
      int count = STALL_BYTES / 1000;
      publish(count, 1000);
      List<Long> offsets = takeUpTo(subscriber, count + 1);
      assertThat(offsets).hasSize(count);
      for (int i = 0; i < count; i++) {
        assertThat(offsets.get(i)).isEqualTo(i + 1);
      }
    }
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
}
