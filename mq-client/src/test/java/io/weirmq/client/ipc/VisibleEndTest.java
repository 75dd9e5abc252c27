package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.message.DirectReadRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How far a subscriber reads a segment that holds more than may be read: the broker's grant ends
 * once, from then on it is the subscriber that stops.
 */
@Timeout(60)
class VisibleEndTest {

  /** Polls after which records that may not be read would have come. */
  private static final int POLLS_IN_VAIN = 100;

  private static final long PRODUCER = 7;

  @TempDir Path folder;

  private final AtomicInteger asked = new AtomicInteger();

  private ScriptedBroker broker;
  private ScriptedLog log;
  private IpcClient client;

  @BeforeEach
  void start() throws Exception {
    log = new ScriptedLog(folder);
    broker = new ScriptedBroker();
    broker.answerWith(
        ApiKey.DIRECT_READ,
        () -> {
          asked.incrementAndGet();
          return log.answer(
              (DirectReadRequest) Objects.requireNonNull(broker.lastRequest(ApiKey.DIRECT_READ)));
        });
    client = broker.client();
  }

  @AfterEach
  void stop() {
    client.close();
    broker.close();
  }

  private IpcSubscriber subscriber(boolean readCommitted) throws Exception {
    return client.subscriber(
        "t",
        0,
        StartPosition.offset(0),
        SubscriberOptions.defaults().withReadCommitted(readCommitted));
  }

  /** Takes until a position is reached, and then what comes without right. */
  private static List<Long> takeUpTo(IpcSubscriber subscriber, long end) throws Exception {
    List<Long> taken = new ArrayList<>();
    int inVain = 0;
    while (inVain < POLLS_IN_VAIN) {
      assertThat(Thread.interrupted()).as("interrupted by the test's time-out").isFalse();
      int count =
          subscriber.poll(
              record -> {
                assertThat(record.buffer().getLong(record.valuePosition()))
                    .isEqualTo(record.offset());
                taken.add(record.offset());
              },
              100);
      inVain = count == 0 && subscriber.position() >= end ? inVain + 1 : 0;
    }
    assertThat(subscriber.position()).isEqualTo(end);
    return taken;
  }

  @Test
  void whileItFollowsItStopsAtTheHighWatermark() throws Exception {
    for (int i = 0; i < 10; i++) {
      log.append();
    }
    log.publish(2, 3);
    try (IpcSubscriber subscriber = subscriber(false)) {
      assertThat(takeUpTo(subscriber, 3)).containsExactly(0L, 1L, 2L);
      log.publish(2, 5);
      assertThat(takeUpTo(subscriber, 5)).containsExactly(3L, 4L);
      log.publish(2, 6);
      assertThat(takeUpTo(subscriber, 6)).containsExactly(5L);
      log.publish(2, 10);
      assertThat(takeUpTo(subscriber, 10)).containsExactly(6L, 7L, 8L, 9L);
      assertThat(asked).as("it follows").hasValue(1);
    }
  }

  @Test
  void whileItFollowsItStopsAtTheLastStableOffset_whereItReadsWhatIsCommitted() throws Exception {
    for (int i = 0; i < 10; i++) {
      log.append();
    }
    log.publish(3, 10);
    try (IpcSubscriber subscriber = subscriber(true)) {
      assertThat(takeUpTo(subscriber, 3)).containsExactly(0L, 1L, 2L);
      log.publish(4, 10);
      assertThat(takeUpTo(subscriber, 4)).containsExactly(3L);
      log.publish(10, 10);
      assertThat(takeUpTo(subscriber, 10)).containsExactly(4L, 5L, 6L, 7L, 8L, 9L);
      assertThat(asked).as("it follows").hasValue(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOpenTransactionIsWaitedFor_andLeftOutWhereItIsAborted(boolean commit) throws Exception {
    log.append();
    log.append();
    log.append();
    log.appendInTransaction(PRODUCER, 0);
    log.append();
    log.appendInTransaction(PRODUCER, 1);
    log.append();
    log.publish(3, 7);
    try (IpcSubscriber committed = subscriber(true);
        IpcSubscriber all = subscriber(false)) {
      assertThat(takeUpTo(committed, 3)).containsExactly(0L, 1L, 2L);
      assertThat(takeUpTo(all, 7)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);

      log.endTransaction(PRODUCER, 3, commit); // at 7
      log.appendInTransaction(PRODUCER, 2); // the next one
      log.append();
      assertThat(takeUpTo(committed, 3)).as("written, but not published").isEmpty();
      log.publish(8, 10);
      assertThat(takeUpTo(all, 10)).as("no marker is a record").containsExactly(8L, 9L);
      assertThat(takeUpTo(committed, 8))
          .isEqualTo(commit ? List.of(3L, 4L, 5L, 6L) : List.of(4L, 6L));

      log.endTransaction(PRODUCER, 8, !commit); // at 10
      log.publish(11, 11);
      assertThat(takeUpTo(committed, 11)).isEqualTo(commit ? List.of(9L) : List.of(8L, 9L));
    }
    try (IpcSubscriber later = subscriber(true)) {
      assertThat(takeUpTo(later, 11))
          .isEqualTo(
              commit
                  ? List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 9L)
                  : List.of(0L, 1L, 2L, 4L, 6L, 8L, 9L));
    }
  }
}
