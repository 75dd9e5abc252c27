package io.weirmq.client.kafka.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ByteBufferSend;
import org.apache.kafka.common.network.ChannelState;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.Selectable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where a poll sleeps, and who does the transport's work meanwhile. */
@Timeout(60)
final class LocalSelectableTest {

  private static final String LOCAL = "0";
  private static final String REMOTE = "1";
  private static final long FOREVER_MILLIS = 3_600_000;

  @TempDir private Path folder;
  private final FakeTcp tcp = new FakeTcp();
  private long nowNanos;
  private final RecordingHandler accepted =
      new RecordingHandler() {
        @Override
        protected void received(Connection connection, byte[] content) {
          connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
          connection.flush();
        }
      };
  private final Transport server =
      TransportProviders.open("shm", TransportOptions.defaults().withIoThreads(1, "server"));
  private LocalSelectable selectable;

  @BeforeEach
  void connect() throws Exception {
    Endpoint endpoint = Endpoint.ofPath("shm", folder.resolve("shm").toString());
    server.listen(endpoint, connection -> accepted);
    LocalConnections connections =
        new LocalConnections(
            () ->
                TransportProviders.find("shm")
                    .orElseThrow()
                    .openPolled(TransportOptions.defaults())
                    .orElseThrow(),
            new SelectorSensors(new Metrics()));
    selectable =
        new LocalSelectable(
            tcp,
            new EndpointRouter(false, Optional.of(endpoint), LocalEndpoints.in(folder)),
            connections,
            -1,
            () -> nowNanos);
    selectable.connect(LOCAL, new InetSocketAddress(InetAddress.getLoopbackAddress(), 9092), 0, 0);
    while (selectable.connected().isEmpty()) {
      selectable.poll(FOREVER_MILLIS);
    }
    assertThat(tcp.polls).as("nothing is awaited over TCP").isEmpty();
  }

  @AfterEach
  void close() {
    selectable.close();
    server.close();
  }

  @Test
  void thePollingThreadItselfReadsWhatComesWhereAllIsLocal() throws Exception {
    exchange(1);
    exchange(2);

    assertThat(tcp.polls).isEmpty();
    assertThat(threadsNamed("-shm")).isZero();
  }

  @Test
  void wakeupEndsASleepInTheTransportOrKeepsFromIt() throws Exception {
    selectable.wakeup();
    selectable.poll(FOREVER_MILLIS);

    CompletableFuture<Void> waker = CompletableFuture.runAsync(selectable::wakeup);
    selectable.poll(FOREVER_MILLIS);

    waker.join();
    assertThat(tcp.polls).isEmpty();
  }

  @Test
  void sleepsInKafkasSelectorWhileAnAnswerIsAwaitedOverTcp() throws Exception {
    connectRemote();
    selectable.send(request(REMOTE, 9));
    Connection atBroker = accepted.awaitOpen();
    CompletableFuture<Void> broker =
        CompletableFuture.runAsync(
            () -> {
              tcp.sleeps.acquireUninterruptibly();
              atBroker.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {1})));
              atBroker.flush();
            });

    awaitLocal(1);

    broker.join();
    assertThat(tcp.polls).contains(FOREVER_MILLIS);
    assertThat(threadsNamed(Thread.currentThread().getName() + "-shm")).isOne();
    tcp.polls.clear();
    tcp.answer(REMOTE);
    selectable.poll(0);
    assertThat(selectable.completedReceives())
        .extracting(NetworkReceive::source)
        .containsExactly(REMOTE);

    nowNanos += TcpActivity.ACTIVE_NANOS;
    tcp.polls.clear();
    exchange(2);

    assertThat(tcp.polls).as("looks, and no sleep").containsOnly(0L);
    assertThat(threadsNamed(Thread.currentThread().getName() + "-shm")).isZero();
  }

  @Test
  void wakeupEndsASleepInKafkasSelector() throws Exception {
    connectRemote();
    selectable.send(request(REMOTE, 9));
    selectable.poll(0);

    CompletableFuture<Void> waker = CompletableFuture.runAsync(selectable::wakeup);
    selectable.poll(FOREVER_MILLIS);

    waker.join();
  }

  @Test
  void theEndOfAQuietConnectionIsSeen() throws Exception {
    connectRemote();
    nowNanos += TcpActivity.ACTIVE_NANOS;
    selectable.poll(0);
    tcp.end(REMOTE);
    nowNanos += TcpActivity.ACTIVE_NANOS;

    selectable.poll(FOREVER_MILLIS);

    assertThat(selectable.disconnected()).containsOnlyKeys(REMOTE);
  }

  @Test
  void sleepsInKafkasSelectorWhereALocalConnectHasJustFailed() throws Exception {
    server.close();
    while (selectable.disconnected().isEmpty()) {
      selectable.poll(FOREVER_MILLIS);
    }
    tcp.connectsAtOnce = false;
    tcp.wakeup();

    selectable.connect(REMOTE, new InetSocketAddress(InetAddress.getLoopbackAddress(), 9092), 0, 0);
    selectable.poll(FOREVER_MILLIS);

    assertThat(tcp.polls).containsExactly(FOREVER_MILLIS);
  }

  /** Over TCP, as the address belongs to nobody: it is reserved for documentation. */
  private void connectRemote() throws Exception {
    byte[] nobody = {(byte) 192, 0, 2, 1};
    selectable.connect(REMOTE, new InetSocketAddress(InetAddress.getByAddress(nobody), 9092), 0, 0);
    assertThat(selectable.isChannelReady(REMOTE)).isTrue();
  }

  /** Sends to the local broker and polls for the echo. */
  private void exchange(int content) throws Exception {
    selectable.send(request(LOCAL, content));
    awaitLocal(content);
  }

  private void awaitLocal(int content) throws Exception {
    List<NetworkReceive> receives = new ArrayList<>();
    while (receives.isEmpty()) {
      selectable.poll(FOREVER_MILLIS);
      receives.addAll(selectable.completedReceives());
    }
    assertThat(receives).extracting(NetworkReceive::source).containsExactly(LOCAL);
    assertThat(receives.get(0).payload().get(0)).isEqualTo((byte) content);
  }

  private static NetworkSend request(String to, int content) {
    return new NetworkSend(
        to, ByteBufferSend.sizePrefixed(ByteBuffer.wrap(new byte[] {(byte) content})));
  }

  private static long threadsNamed(String end) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().endsWith(end))
        .count();
  }

  /** Kafka's Selector: connects at once or never, answers when the test says so. */
  private static final class FakeTcp implements Selectable {
    final List<Long> polls = new ArrayList<>();
    final Semaphore sleeps = new Semaphore(0);
    boolean connectsAtOnce = true;
    private final Semaphore wakeups = new Semaphore(0);
    private final Set<String> ready = new HashSet<>();
    private final List<NetworkReceive> answers = new ArrayList<>();
    private final Map<String, ChannelState> ends = new HashMap<>();
    private List<NetworkReceive> received = List.of();
    private Map<String, ChannelState> ended = Map.of();

    void answer(String id) {
      answers.add(new NetworkReceive(id, ByteBuffer.allocate(1)));
    }

    void end(String id) {
      ready.remove(id);
      ends.put(id, ChannelState.READY);
    }

    @Override
    public void poll(long timeoutMillis) {
      polls.add(timeoutMillis);
      received = List.copyOf(answers);
      ended = Map.copyOf(ends);
      answers.clear();
      ends.clear();
      try {
        if (timeoutMillis > 0 && received.isEmpty() && ended.isEmpty()) {
          sleeps.release();
          assertThat(wakeups.tryAcquire(30, TimeUnit.SECONDS)).as("woken").isTrue();
        }
      } catch (InterruptedException e) {
        throw new AssertionError("interrupted in a poll", e);
      }
    }

    @Override
    public void wakeup() {
      wakeups.release();
    }

    @Override
    public void connect(String id, InetSocketAddress address, int sendBytes, int receiveBytes) {
      if (connectsAtOnce) {
        ready.add(id);
      }
    }

    @Override
    public boolean isChannelReady(String id) {
      return ready.contains(id);
    }

    @Override
    public Collection<NetworkReceive> completedReceives() {
      return received;
    }

    @Override
    public Map<String, ChannelState> disconnected() {
      return ended;
    }

    @Override
    public List<NetworkSend> completedSends() {
      return List.of();
    }

    @Override
    public List<String> connected() {
      return List.of();
    }

    @Override
    public void send(NetworkSend send) {}

    @Override
    public void close() {}

    @Override
    public void close(String id) {}

    @Override
    public void mute(String id) {}

    @Override
    public void unmute(String id) {}

    @Override
    public void muteAll() {}

    @Override
    public void unmuteAll() {}
  }
}
