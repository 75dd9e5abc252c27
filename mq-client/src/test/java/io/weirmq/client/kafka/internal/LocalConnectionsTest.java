package io.weirmq.client.kafka.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ChannelState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The connections of a client over a real transport, with a clock of the test. */
final class LocalConnectionsTest {

  @TempDir private Path folder;
  private final Semaphore woken = new Semaphore(0);
  private final Inbox inbox = new Inbox(woken::release);
  private final RecordingHandler accepted = new RecordingHandler();
  private final Transport server =
      TransportProviders.open("shm", TransportOptions.defaults().withIoThreads(1, "server"));
  private final LocalConnections connections =
      new LocalConnections(
          () -> TransportProviders.open("shm", TransportOptions.defaults()),
          new SelectorSensors(new Metrics()));
  private Endpoint endpoint = Endpoint.ofPath("shm", "/nowhere");

  @BeforeEach
  void listen() throws Exception {
    Listener listener =
        server.listen(
            Endpoint.ofPath("shm", folder.resolve("shm").toString()), connection -> accepted);
    endpoint = listener.endpoint();
    connections.beginPoll(0);
    connect(endpoint);
    awaitNews();
  }

  @AfterEach
  void close() {
    connections.close();
    server.close();
  }

  @Test
  void anIdleConnectionIsClosedAndReportedAsExpired() {
    assertThat(connections.connected()).containsExactly("0");
    assertThat(connections.count()).isEqualTo(1);

    connections.beginPoll(100);
    connections.closeIdle(100);
    assertThat(connections.disconnected()).isEmpty();
    connections.beginPoll(101);
    connections.closeIdle(100);

    assertThat(connections.disconnected()).isEqualTo(Map.of("0", ChannelState.EXPIRED));
    assertThat(connections.has("0")).isFalse();
    assertThat(connections.count()).isZero();
    assertThat(accepted.awaitClosed()).as("the broker sees an end in good order").isNull();
  }

  @Test
  void aBrokerThatCutsTheConnectionIsReportedAtOnce() throws Exception {
    Connection atBroker = accepted.awaitOpen();
    connections.beginPoll(1);

    atBroker.abort(new IOException("broker dies"));
    awaitNews();

    assertThat(connections.disconnected())
        .extractingByKey("0")
        .extracting(ChannelState::state)
        .isEqualTo(ChannelState.State.READY);
    assertThat(connections.isReady("0")).isFalse();
  }

  private void connect(Endpoint to) {
    connections.connect(
        "0",
        InetSocketAddress.createUnresolved("localhost", 9092),
        to,
        inbox,
        (connection, cause) -> {
          throw new AssertionError("cannot connect", cause);
        });
  }

  private void awaitNews() throws Exception {
    while (!connections.hasNews()) {
      if (inbox.beginSleep()) {
        assertThat(woken.tryAcquire(20, TimeUnit.SECONDS)).as("woken").isTrue();
        inbox.endSleep();
      }
      inbox.drain();
    }
  }
}
