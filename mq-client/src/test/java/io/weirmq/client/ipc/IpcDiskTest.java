package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a publisher makes of the disk of a real broker: full, and slow. */
@Timeout(120)
class IpcDiskTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path data;

  private final TestDisk disk = new TestDisk("t-0");
  private CountDownLatch forces = new CountDownLatch(1);
  private LocalBroker broker;
  private IpcClient client;

  @BeforeEach
  void start() throws Exception {
    broker = LocalBroker.start(data, disk.files());
    client = broker.client();
  }

  @AfterEach
  void stop() throws Exception {
    forces.countDown();
    client.close();
    broker.close();
  }

  private static void offer(IpcPublisher publisher, int number) {
    byte[] value = ("v" + number).getBytes(StandardCharsets.UTF_8);
    assertThat(publisher.offer(value, 0, value.length)).isEqualTo(number);
  }

  private List<String> read(int count) throws Exception {
    List<String> taken = new ArrayList<>();
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
      while (taken.size() < count) {
        subscriber.poll(
            record -> taken.add(record.offset() + " " + IpcEndToEndTest.text(record.value())),
            count,
            PATIENCE);
      }
    }
    return taken;
  }

  @Test
  void aNewPublisherOnAFullDiskLosesNothing_andKeepsItsConnection() throws Exception {
    broker.createTopic("t", Map.of());
    try (IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults())) {
      disk.full(true);
      offer(publisher, 0);
      offer(publisher, 1);
      while (publisher.connectFailure() == null) {
        Thread.onSpinWait();
      }
      assertThat(publisher.connectFailure()).hasMessageContaining("KAFKA_STORAGE_ERROR");
      assertThat(publisher.acknowledgedCount()).isZero();
      offer(publisher, 2);

      disk.full(false);
      assertThat(publisher.awaitAppended(2, PATIENCE)).isTrue();
      assertThat(publisher.lastAppendedOffset()).isEqualTo(2);
      assertThat(publisher.connectFailure()).isNull();
    }
    assertThat(read(3)).containsExactly("0 v0", "1 v1", "2 v2");
  }

  @Test
  void flushedIsAnsweredOnceTheLeadersDiskHasIt() throws Exception {
    broker.createTopic("t", Map.of("flush.messages", "1"));
    try (IpcPublisher publisher =
        client.publisher(
            "t", 0, PublisherOptions.defaults().withAcknowledgement(Acknowledgement.FLUSHED))) {
      forces = disk.holdForces();
      offer(publisher, 0);
      disk.awaitForce();
      assertThat(publisher.acknowledgedCount()).as("the force has not ended").isZero();

      forces.countDown();
      assertThat(publisher.awaitAppended(0, PATIENCE)).isTrue();
      assertThat(publisher.lastAppendedOffset()).isZero();
    }
  }

  @Test
  void flushedIsRefusedWhereTheTopicLetsRecordsWaitForTheDisk() throws Exception {
    broker.createTopic("t", Map.of("flush.messages", "2"));
    PublisherOptions flushed =
        PublisherOptions.defaults().withAcknowledgement(Acknowledgement.FLUSHED);
    assertThatThrownBy(() -> client.publisher("t", 0, flushed))
        .isInstanceOf(IpcException.class)
        .hasMessage(
            "topic t has flush.messages=2, and FLUSHED needs 1: only then is a record on the disk"
                + " when the leader answers");
  }
}
