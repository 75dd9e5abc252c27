package io.weirmq.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.PolledTransport;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A transport whose work is done by those who poll. */
@Timeout(60)
final class PolledTransportTest {

  /** Longer than any test may take: a wait for so long is a failure. */
  private static final long FOREVER_MILLIS = 3_600_000;

  private final Transport server = new ShmTransportProvider().open(TransportOptions.defaults());
  private final PolledTransport polled =
      new ShmTransportProvider()
          .openPolled(TransportOptions.defaults().withIoThreads(1, "no-such-thread"))
          .orElseThrow();
  private final List<Thread> callers = new ArrayList<>();
  private final RecordingHandler handler =
      new RecordingHandler() {
        @Override
        protected void received(Connection connection, byte[] content) {
          callers.add(Thread.currentThread());
        }
      };
  private Listener listener;

  @BeforeEach
  void listen() throws Exception {
    listener =
        server.listen(
            TestFolder.endpoint(TestFolder.fresh()),
            made ->
                new RecordingHandler() {
                  @Override
                  protected void received(Connection connection, byte[] content) {
                    connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
                    connection.flush();
                  }
                });
  }

  @AfterEach
  void close() {
    polled.close();
    server.close();
  }

  @Test
  void callsBackOnThePollingThreadAndHasNoOther() throws Exception {
    Connection connection = connect();

    send(connection, 7);
    pollForFrames(1);

    assertThat(callers).containsExactly(Thread.currentThread());
    assertThat(handler.awaitFrame()).containsExactly(7);
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("no-such-thread"));
  }

  @Test
  void sleepsUntilThePeerRings() throws Exception {
    Connection connection = connect();
    send(connection, 1);
    pollForFrames(1);
    assertThat(polled.poll(20)).as("nothing comes").isZero();

    CompletableFuture<Void> later = CompletableFuture.runAsync(() -> send(connection, 2));
    pollForFrames(2);

    later.join();
  }

  @Test
  void aPollOfZeroSeesWhatHasComeAfterASleep() throws Exception {
    Connection connection = connect();
    polled.poll(1); // at its end the connection is at rest or awake: both have to do

    send(connection, 3);
    while (callers.isEmpty()) {
      polled.poll(0);
    }

    assertThat(handler.awaitFrame()).containsExactly(3);
  }

  @Test
  void wakeupEndsThePollUnderWayOrTheNextOne() throws Exception {
    connect();
    polled.wakeup();
    assertThat(polled.poll(FOREVER_MILLIS)).isZero();

    Thread waker = new Thread(polled::wakeup);
    waker.start();
    assertThat(polled.poll(FOREVER_MILLIS)).isZero();
    waker.join();
  }

  @Test
  void anInterruptEndsThePollAndHarmsNoConnection() throws Exception {
    Connection connection = connect();
    Thread.currentThread().interrupt();

    assertThat(polled.poll(FOREVER_MILLIS)).isZero();
    assertThat(polled.poll(FOREVER_MILLIS)).isZero();

    assertThat(Thread.interrupted()).as("the interrupt stays").isTrue();
    send(connection, 4);
    pollForFrames(1);
    assertThat(handler.awaitFrame()).containsExactly(4);
  }

  @Test
  void anotherThreadMayGoOn() throws Exception {
    Connection connection = connect();
    send(connection, 5);
    Thread next = new Thread(() -> pollForFrames(1));
    next.start();
    next.join();
    assertThat(callers).containsExactly(next);

    send(connection, 6);
    pollForFrames(2);

    assertThat(callers).containsExactly(next, Thread.currentThread());
  }

  @Test
  void refusesAPollAndACloseFromWithinAPoll() throws Exception {
    Connection connection = connect();
    AtomicReference<Throwable> poll = new AtomicReference<>();
    AtomicReference<Throwable> close = new AtomicReference<>();
    connection.execute(
        () -> {
          poll.set(failureOf(() -> polled.poll(0)));
          close.set(failureOf(polled::close));
        });

    while (close.get() == null) {
      polled.poll(FOREVER_MILLIS);
    }

    assertThat(poll.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("loop");
    assertThat(close.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("callback");
  }

  @Test
  void closeTellsBothSidesAndEndsAConnectUnderWay() throws Exception {
    connect();
    RecordingHandler late = new RecordingHandler();
    CompletionStage<Connection> connecting = polled.connect(listener.endpoint(), late);

    polled.close();

    assertThat(handler.awaitClosed()).as("in good order").isNull();
    assertThat(connecting.toCompletableFuture()).isCompletedExceptionally();
    assertThat(polled.poll(FOREVER_MILLIS)).as("nothing is left to wait for").isZero();
    assertThatThrownBy(() -> polled.connect(listener.endpoint(), late).toCompletableFuture().join())
        .hasMessageContaining("transport is closed");
  }

  @Test
  void aCloseBesideAPollThatSleepsEndsIt() throws Exception {
    connect();
    AtomicBoolean closed = new AtomicBoolean();
    CompletableFuture<Void> poller =
        CompletableFuture.runAsync(
            () -> {
              while (!closed.get()) {
                polled.poll(FOREVER_MILLIS);
              }
            });

    polled.close();
    closed.set(true);

    poller.join();
    assertThat(handler.awaitClosed()).as("in good order").isNull();
  }

  @Test
  void aFrameOfferedAloneIsThereBeforeAFlush() throws Exception {
    RecordingHandler accepted = new RecordingHandler();
    try (PolledTransport peer =
        new ShmTransportProvider().openPolled(TransportOptions.defaults()).orElseThrow()) {
      Listener other = peer.listen(TestFolder.endpoint(TestFolder.fresh()), made -> accepted);
      CompletableFuture<Connection> opened =
          polled.connect(other.endpoint(), handler).toCompletableFuture();
      while (!opened.isDone() || !accepted.isOpened()) {
        polled.poll(0);
        peer.poll(0);
      }
      while (polled.poll(0) + peer.poll(0) > 0) {} // what else the begin of a connection brings

      assertThat(opened.get().offer(ByteBuffer.wrap(new byte[] {8}))).isTrue();
      peer.poll(0);

      assertThat(accepted.frameCount()).as("frames that came without a flush").isOne();
      assertThat(accepted.awaitFrame()).containsExactly(8);
      accepted.assertRulesKept();
    }
  }

  private Connection connect() throws Exception {
    CompletableFuture<Connection> opened =
        polled.connect(listener.endpoint(), handler).toCompletableFuture();
    while (!opened.isDone()) {
      polled.poll(FOREVER_MILLIS);
    }
    while (polled.poll(1) > 0) {} // what else the begin of a connection brings
    return opened.get();
  }

  private static void send(Connection connection, int content) {
    connection.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {(byte) content})));
    connection.flush();
  }

  private void pollForFrames(int count) {
    while (callers.size() < count) {
      polled.poll(FOREVER_MILLIS);
    }
  }

  private static Throwable failureOf(Runnable call) {
    try {
      call.run();
      return new AssertionError("no failure");
    } catch (IllegalStateException e) {
      return e;
    }
  }
}
