package io.weirmq.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.testkit.time.SteppedScheduler;
import io.weirmq.testkit.time.VirtualClock;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The scripted links, stepped in virtual time: no test here has a thread or waits. */
final class InMemoryNetworkTest {

  private static final Endpoint ENDPOINT = new Endpoint("mem", "two", 9092);

  private final VirtualClock clock = new VirtualClock();
  private final SteppedScheduler scheduler = new SteppedScheduler(clock);
  private final InMemoryNetwork network = new InMemoryNetwork(scheduler);
  private final List<String> trace = new ArrayList<>();

  @Test
  void deliversNothingUntilItIsStepped() throws Exception {
    Connection client = connected(TransportOptions.defaults());
    send(client, "hello");

    assertThat(trace).doesNotContain("0 two got hello");
    scheduler.runDue();
    assertThat(trace).endsWith("0 two got hello");
  }

  @Test
  void keepsBackWhatIsNotFlushed() throws Exception {
    Connection client = connected(TransportOptions.defaults());

    client.send(OutboundFrame.of(ByteBuffer.wrap("hello".getBytes(UTF_8))));
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(trace).noneMatch(line -> line.contains("hello"));

    client.flush();
    scheduler.runDue();
    assertThat(trace).endsWith("1000 two got hello");
  }

  @Test
  void delaysFramesAndKeepsTheirOrder() throws Exception {
    Connection client = connected(TransportOptions.defaults());
    trace.clear();

    network.delay(Duration.ofMillis(50));
    send(client, "slow");
    network.delay("one", "two", Duration.ofMillis(1));
    send(client, "fast");
    scheduler.advance(Duration.ofMillis(49));
    assertThat(trace).isEmpty();
    scheduler.advance(Duration.ofMillis(1));

    assertThat(trace).containsExactly("50 two got slow", "50 two got fast");
  }

  @Test
  void holdsFramesDuringAPartitionAndDeliversThemAfterIt() throws Exception {
    Connection client = connected(TransportOptions.defaults());
    trace.clear();

    network.partition("one", "two");
    send(client, "a");
    send(client, "b");
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(trace).isEmpty();
    network.heal("two", "one");
    scheduler.runDue();

    assertThat(trace).containsExactly("5000 two got a", "5000 two got b");
  }

  @Test
  void hidesTheEndOfAConnectionDuringAPartition() throws Exception {
    Connection client =
        connected(TransportOptions.defaults().withIdleTimeout(Duration.ofSeconds(30)));
    trace.clear();

    network.partition("one", "two");
    client.execute(
        () -> {
          throw new IllegalStateException("crash");
        });
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(trace).containsExactly("0 one closed by crash");
    network.healAll();
    scheduler.runDue();

    assertThat(trace).hasSize(2);
    assertThat(trace.get(1)).startsWith("1000 two closed by connection reset by peer");
    assertThat(network.connectionCount()).isZero();
  }

  @Test
  void timesOutAConnectIntoAPartition() throws Exception {
    Transport two = network.provider("two").open(TransportOptions.defaults());
    two.listen(ENDPOINT, made -> new Tracing("two"));
    Transport one = network.provider("one").open(TransportOptions.defaults());
    network.partition("one", "two");

    CompletableFuture<Connection> result =
        one.connect(ENDPOINT, new Tracing("one")).toCompletableFuture();
    scheduler.advance(InMemoryNetwork.CONNECT_TIMEOUT.minusNanos(1));
    assertThat(result).isNotDone();
    scheduler.advance(Duration.ofNanos(1));

    assertThat(result)
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(java.util.concurrent.ExecutionException.class)
        .withCauseInstanceOf(IOException.class)
        .withMessageContaining("mem://two:9092");
    assertThat(trace).isEmpty();
  }

  @Test
  void losesWhatIsOnItsWayWhenAConnectionIsCut() throws Exception {
    Connection client = connected(TransportOptions.defaults());
    trace.clear();

    send(client, "lost");
    assertThat(network.cut("one", "two")).isEqualTo(1);
    scheduler.runDue();

    assertThat(trace).noneMatch(line -> line.contains("got"));
    assertThat(trace).filteredOn(line -> line.contains("closed by")).hasSize(2);
    assertThat(network.cut("one", "two")).isZero();
  }

  @Test
  void endsIdleConnectionsByVirtualTimeAndTrafficPutsTheEndOff() throws Exception {
    Connection client =
        connected(TransportOptions.defaults().withIdleTimeout(Duration.ofMinutes(10)));
    trace.clear();

    scheduler.advance(Duration.ofMinutes(9));
    send(client, "tick");
    scheduler.advance(Duration.ofMinutes(9));
    assertThat(trace).containsExactly("540000 two got tick");
    scheduler.advance(Duration.ofMinutes(1));

    assertThat(trace).filteredOn(line -> line.startsWith("1140000 ")).hasSize(2);
  }

  @Test
  void repeatsARunExactly() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      List<String> first = new InMemoryNetworkTest().randomRun(seed);
      List<String> second = new InMemoryNetworkTest().randomRun(seed);

      assertThat(second).as("seed %d", seed).isEqualTo(first).hasSizeGreaterThan(30);
    }
  }

  private List<String> randomRun(long seed) throws Exception {
    Random random = new Random(seed);
    Connection client = connected(TransportOptions.defaults());
    for (int i = 0; i < 100; i++) {
      switch (random.nextInt(6)) {
        case 0 -> network.delay(Duration.ofMillis(random.nextInt(20)));
        case 1 -> network.partition("one", "two");
        case 2 -> network.healAll();
        default -> send(client, "frame " + i);
      }
      scheduler.advance(Duration.ofMillis(random.nextInt(10)));
    }
    network.healAll();
    scheduler.advance(Duration.ofSeconds(1));
    return trace;
  }

  private Connection connected(TransportOptions options) throws IOException {
    Transport two = network.provider("two").open(options);
    two.listen(ENDPOINT, made -> new Tracing("two"));
    Transport one = network.provider("one").open(TransportOptions.defaults());
    CompletableFuture<Connection> result =
        one.connect(ENDPOINT, new Tracing("one")).toCompletableFuture();
    scheduler.runDue();
    return result.join();
  }

  private static void send(Connection connection, String text) {
    connection.send(OutboundFrame.of(ByteBuffer.wrap(text.getBytes(UTF_8))));
    connection.flush();
  }

  private final class Tracing implements ConnectionHandler {

    private final String node;

    Tracing(String node) {
      this.node = node;
    }

    @Override
    public void onOpen(Connection connection) {
      add("open");
    }

    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      add("got " + UTF_8.decode(frame.buffer()));
      frame.release();
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {
      add("closed by " + (cause == null ? "nobody" : cause.getMessage()));
    }

    private void add(String event) {
      trace.add(clock.nanoTime() / 1_000_000 + " " + node + " " + event);
    }
  }
}
