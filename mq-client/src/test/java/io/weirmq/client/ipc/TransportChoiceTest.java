package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Which way an IPC client takes, and what it says about it. */
@Timeout(120)
class TransportChoiceTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Logger logger = (Logger) LoggerFactory.getLogger(BrokerRoutes.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @TempDir Path folder;

  private LocalBroker broker;
  private Path runtime;

  @BeforeEach
  void start() throws Exception {
    broker = LocalBroker.start(folder.resolve("data"));
    broker.createTopic("t", Map.of());
    runtime = folder.resolve("runtime");
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stop() throws Exception {
    logger.detachAppender(log);
    broker.close();
  }

  private IpcClientOptions options(TransportMode mode) {
    return IpcClientOptions.of(Endpoint.tcp("127.0.0.1", broker.port()))
        .withRuntimeFolder(runtime)
        .withTransport(mode);
  }

  private void publish(Endpoint endpoint) throws IOException {
    LocalEndpoints.in(runtime).publish(broker.port(), endpoint);
  }

  private Endpoint nobody() {
    return Endpoint.ofPath("shm", folder.resolve("nobody").toString());
  }

  private List<String> told() {
    return log.list.stream()
        .filter(event -> event.getLevel() == Level.INFO)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** Sends and receives records through new publishers and subscribers of one client. */
  private void passesRecords(IpcClientOptions options, boolean local) throws Exception {
    try (IpcClient client = IpcClient.open(options)) {
      for (int round = 0; round < 2; round++) {
        try (IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults());
            IpcSubscriber subscriber =
                client.subscriber("t", 0, StartPosition.latest(), SubscriberOptions.defaults())) {
          byte[] value = ("v" + round).getBytes(StandardCharsets.UTF_8);
          publisher.offer(value, 0, value.length);
          List<String> taken = new ArrayList<>();
          while (taken.isEmpty()) {
            subscriber.poll(record -> taken.add(IpcEndToEndTest.text(record.value())), 1, PATIENCE);
          }
          assertThat(taken).containsExactly("v" + round);
          assertThat(publisher.isLocal()).isEqualTo(local);
          assertThat(subscriber.isDirect()).isEqualTo(local);
        }
      }
    }
  }

  @Test
  void autoTakesThePublishedEndpoint_andSaysNothing() throws Exception {
    publish(broker.endpoint());
    passesRecords(options(TransportMode.AUTO), true);
    assertThat(told()).isEmpty();
  }

  @Test
  void autoTakesTcpWhereNobodyListensAtThePublishedEndpoint_andSaysSoOnce() throws Exception {
    publish(nobody());
    passesRecords(options(TransportMode.AUTO), false);
    assertThat(told())
        .singleElement()
        .asString()
        .contains("tcp://127.0.0.1:" + broker.port())
        .contains("is reached over TCP")
        .contains(nobody().toString());
  }

  @Test
  void autoTakesTcpWhereNothingIsPublished_andSaysSoOnce() throws Exception {
    passesRecords(options(TransportMode.AUTO), false);
    assertThat(told())
        .singleElement()
        .asString()
        .contains("nothing is published at " + runtime.resolve(broker.port() + ".endpoint"));
  }

  @Test
  void tcpTakesNoPublishedEndpoint_andSaysNothing() throws Exception {
    publish(broker.endpoint());
    passesRecords(options(TransportMode.TCP), false);
    assertThat(told()).isEmpty();
  }

  @Test
  void shmTakesThePublishedEndpoint() throws Exception {
    publish(broker.endpoint());
    passesRecords(options(TransportMode.SHM), true);
  }

  @Test
  void shmNeverTakesTcp_andSaysWhy() throws Exception {
    try (IpcClient client = IpcClient.open(options(TransportMode.SHM))) {
      assertThatThrownBy(() -> client.publisher("t", 0, PublisherOptions.defaults()))
          .isInstanceOf(IpcException.class)
          .hasMessageContaining("broker at tcp://127.0.0.1:" + broker.port())
          .hasMessageContaining("transport=shm allows nothing else: nothing is published at");
      publish(nobody());
      assertThatThrownBy(
              () -> client.subscriber("t", 0, StartPosition.latest(), SubscriberOptions.defaults()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(nobody().toString());
    }
    assertThat(told()).isEmpty();
  }

  @Test
  void aPublisherWhoseLocalBrokerEndsGoesOnOverTcp() throws Exception {
    int port = broker.port();
    publish(broker.endpoint());
    try (IpcClient client = IpcClient.open(options(TransportMode.AUTO));
        IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults())) {
      assertThat(publisher.awaitAppended(publisher.offer(new byte[1], 0, 1), PATIENCE)).isTrue();
      assertThat(publisher.isLocal()).isTrue();
      broker.close();
      // The same data at the same port; what is published leads nowhere now.
      broker = LocalBroker.start(folder.resolve("data"), LocalBroker.localFolder(), port, Map.of());
      long token = publisher.offer(new byte[1], 0, 1);
      assertThat(publisher.awaitAppended(token, PATIENCE)).isTrue();
      assertThat(publisher.isLocal()).isFalse();
      assertThat(publisher.lastAppendedOffset()).isEqualTo(1);
    }
    assertThat(told()).hasSize(1);
  }

  @Test
  void propertiesReachTheTransport() throws Exception {
    publish(broker.endpoint());
    passesRecords(
        options(TransportMode.SHM)
            .withTransportProperties(
                Map.of(
                    "shm.wait.strategy", "yielding",
                    "shm.send.ring.bytes", "131072",
                    "shm.receive.ring.bytes", "131072")),
        true);
    try (IpcClient client =
        IpcClient.open(
            options(TransportMode.AUTO).withTransportProperties(Map.of("shm.nonsense", "1")))) {
      assertThatThrownBy(() -> client.publisher("t", 0, PublisherOptions.defaults()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("property shm.nonsense is not known");
    }
    assertThat(told()).isEmpty();
  }

  @Test
  void optionsThatContradictEachOtherAreRefused() {
    IpcClientOptions local = IpcClientOptions.of(nobody());
    assertThatThrownBy(() -> local.withTransport(TransportMode.TCP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("transport is TCP, and shm:")
        .hasMessageContaining("is no TCP port");
    assertThatThrownBy(() -> local.withRuntimeFolder(Path.of("here")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("runtimeFolder is here, expected an absolute path");
  }
}
