package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ErrorCode;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connecting again, where one leader never answers and requests wait longer than a test may. */
@Timeout(60)
class ReconnectTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** More than there are threads of any kind in a client. */
  private static final int STUCK = 12;

  private final byte[] value = new byte[10];

  private ScriptedBroker broker;
  private IpcClient client;

  @BeforeEach
  void start() throws Exception {
    broker = new ScriptedBroker();
    client = IpcClient.open(broker.options().withTimeout(Duration.ofHours(1)));
  }

  @AfterEach
  void stop() {
    client.close();
    broker.close();
  }

  private IpcPublisher publisher(String topic) throws Exception {
    return client.publisher(topic, 0, PublisherOptions.defaults());
  }

  @Test
  void aLeaderThatNeverAnswersHoldsUpNoOtherPublisher() throws Exception {
    IpcPublisher going = publisher("going");
    List<IpcPublisher> stuck = new ArrayList<>();
    for (int i = 0; i < STUCK; i++) {
      String topic = "stuck-" + i;
      stuck.add(publisher(topic));
      assertThat(stuck.get(i).offer(value, 0, value.length)).isZero();
      ScriptedBroker.Batch batch = broker.next();
      broker.giveToSilentNode(topic);
      broker.cut(batch);
      broker.awaitSilentConnection();
    }

    assertThat(going.offer(value, 0, value.length)).isZero();
    broker.cut(broker.next());
    ScriptedBroker.Batch again = broker.next();
    assertThat(again.topic()).isEqualTo("going");
    broker.answer(again, ErrorCode.NONE, 4);
    assertThat(going.awaitAppended(0, PATIENCE)).isTrue();
    going.close();
    for (IpcPublisher each : stuck) {
      assertThat(each.acknowledgedCount()).isZero();
      assertThat(each.failure()).isNull();
    }
  }

  /** With pauses that grow to a second each time, this would take longer than it may. */
  @Test
  void eachConnectionThatIsMadeBeginsThePausesAnew() throws Exception {
    client.close();
    client = IpcClient.open(broker.options().withReconnectBackoff(Duration.ofMillis(1)));
    IpcPublisher publisher = publisher("t");
    publisher.offer(value, 0, value.length);
    for (int cut = 0; cut < 90; cut++) {
      broker.cut(broker.next());
    }
    broker.answer(broker.next(), ErrorCode.NONE, 0);
    publisher.close();
  }

  @Test
  void aPublisherFailsWhereItsClientIsClosedWhileItConnects() throws Exception {
    IpcPublisher stuck = publisher("stuck");
    stuck.offer(value, 0, value.length);
    broker.giveToSilentNode("stuck");
    broker.cut(broker.next());
    broker.awaitSilentConnection();
    client.close();
    assertThatThrownBy(() -> stuck.awaitAppended(0, PATIENCE))
        .isInstanceOf(IpcException.class)
        .hasMessageContaining("is closed");
  }

  @Test
  void whyAPublisherDoesNotConnectAgainIsToldByItAndByItsClose() throws Exception {
    client.close();
    AtomicLong nowNs = new AtomicLong();
    // A clock on which each look comes after the time-out: close does not wait.
    client =
        IpcClient.open(
            broker
                .options()
                .withTimeout(Duration.ofHours(1))
                .withClocks(
                    InstantSource.system(), () -> nowNs.addAndGet(Duration.ofHours(2).toNanos())));
    IpcPublisher publisher = publisher("t");
    assertThat(publisher.connectFailure()).isNull();
    publisher.offer(value, 0, value.length);
    broker.next();
    broker.close();
    IOException cause = failureOf(publisher::connectFailure);
    assertThat(cause).hasMessageContaining("127.0.0.1");
    assertThatThrownBy(publisher::close)
        .isInstanceOf(IpcException.class)
        .hasMessageContaining("1 records of publisher of t-0 were not acknowledged")
        .hasMessageContaining("; last failure: ")
        .hasMessageContaining("127.0.0.1")
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void whyASubscriberDoesNotConnectAgainIsToldByIt() throws Exception {
    IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults());
    assertThat(subscriber.connectFailure()).isNull();
    broker.close();
    IOException cause =
        failureOf(
            () -> {
              assertThat(subscriber.poll(record -> {}, 1)).isZero();
              return subscriber.connectFailure();
            });
    assertThat(cause).hasMessageContaining("127.0.0.1");
    subscriber.close();
  }

  /** Asks until there is an answer. */
  private static IOException failureOf(Callable<@Nullable IOException> question) throws Exception {
    while (true) {
      IOException failure = question.call();
      if (failure != null) {
        return failure;
      }
      assertThat(Thread.interrupted()).as("interrupted by the test's time-out").isFalse();
      Thread.onSpinWait();
    }
  }
}
