package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
}
