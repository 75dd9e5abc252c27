package io.weirmq.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Ends of connections and transports, in good order and by errors. */
abstract class LifecycleContract extends ContractCase {

  @Test
  void closesOnBothSidesInGoodOrder() throws Exception {
    Server server = serve(options());
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(server, handler);
    RecordingHandler accepted = server.awaitAccepted();
    accepted.awaitOpen();

    client.close();
    client.close();

    assertThat(accepted.awaitClosed()).as("cause at the server").isNull();
    assertThat(handler.awaitClosed()).as("cause at the client").isNull();
    assertThat(client.isWritable()).isFalse();
    assertThat(accepted.awaitOpen().isWritable()).isFalse();
  }

  @Test
  void deliversWhatWasSentBeforeTheClose() throws Exception {
    int count = 300;
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());

    for (int i = 0; i < count; i++) {
      client.send(ledger.frame(content(i, 16_000)));
    }
    client.close();

    RecordingHandler accepted = server.awaitAccepted();
    for (int i = 0; i < count; i++) {
      assertThat(accepted.awaitFrame()).as("frame %d", i).isEqualTo(content(i, 16_000));
    }
    assertThat(accepted.awaitClosed()).as("cause").isNull();
  }

  @Test
  void deliversTheLastFrameToAPeerThatIsStillSending() throws Exception {
    byte[] farewell = content(8, 50_000);
    Server server =
        serve(
            options(),
            () ->
                new RecordingHandler() {
                  @Override
                  protected void received(Connection connection, byte[] content) {
                    connection.send(ledger.frame(farewell));
                    connection.close();
                  }
                });
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(server, handler);

    for (int i = 0; i < 100; i++) {
      client.send(ledger.frame(content(i, 10_000)));
    }
    client.flush();

    assertThat(handler.awaitFrame()).isEqualTo(farewell);
    handler.awaitClosed();
    assertThat(server.awaitAccepted().frameCount()).as("frames after the close").isEqualTo(1);
  }

  @Test
  void deliversFramesOfAPeerThatHasEndedAlsoAfterAPause() throws Exception {
    Server server = serve(options(), RecordingHandler::pausedAtOpen);
    Connection client = connect(server, new RecordingHandler());
    RecordingHandler accepted = server.awaitAccepted();
    Connection acceptedConnection = accepted.awaitOpen();

    for (int i = 0; i < 10; i++) {
      client.send(ledger.frame(content(i, 100)));
    }
    client.close();
    acceptedConnection.resumeReading();

    assertThat(accepted.awaitFrames(10).get(9)).isEqualTo(content(9, 100));
    assertThat(accepted.awaitClosed()).isNull();
  }

  @Test
  void abortsWithoutWaitingForAPeerThatDoesNotRead() throws Exception {
    Server server = serve(options(), RecordingHandler::pausedAtOpen);
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(server, handler);
    server.awaitAccepted().awaitOpen();
    // More than the buffers of any system and ring take.
    for (int i = 0; i < 100; i++) {
      client.send(ledger.frame(content(i, 500_000)));
    }
    client.flush();
    IOException cause = new IOException("given up");

    client.abort(cause);

    ledger.awaitAllReleasedOnce();
    assertThat(handler.awaitClosed()).isSameAs(cause);
    client.abort(new IOException("again"));
  }

  @Test
  void closesFromACallback() throws Exception {
    Server atOpen =
        serve(
            options(),
            () ->
                new RecordingHandler() {
                  @Override
                  protected void opened(Connection connection) {
                    connection.send(ledger.frame(content(1, 5)));
                    connection.close();
                  }
                });
    RecordingHandler handler = new RecordingHandler();
    connect(atOpen, handler);

    assertThat(handler.awaitFrame()).isEqualTo(content(1, 5));
    assertThat(handler.awaitClosed()).isNull();
    assertThat(atOpen.awaitAccepted().awaitClosed()).isNull();
  }

  @Test
  void releasesFramesThatAreSentToAClosedConnection() throws Exception {
    Server server = serve(options());
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(server, handler);
    server.awaitAccepted();
    client.close();
    handler.awaitClosed();

    for (int i = 0; i < 10; i++) {
      client.send(ledger.frame(content(i, 10)));
      client.flush();
    }
    client.pauseReading();
    client.resumeReading();
    client.close();

    assertThat(ledger.releasedCount()).isEqualTo(10);
    assertThat(client.isWritable()).isFalse();
  }

  @Test
  void releasesFramesThatRaceWithTheEndOfTheConnection() throws Exception {
    Server server = serve(options());
    Transport clients = open(options());
    for (int round = 0; round < 30; round++) {
      Connection client = connect(clients, server, new RecordingHandler());
      Connection accepted = server.awaitAccepted().awaitOpen();
      Thread sender =
          new Thread(
              () -> {
                for (int i = 0; i < 300; i++) {
                  client.send(ledger.frame(content(i, 100)));
                  client.flush();
                }
              },
              "contract-sender");
      sender.start();
      if (round % 2 == 0) {
        accepted.close();
      } else {
        client.close();
      }
      sender.join(TimeUnit.SECONDS.toMillis(RecordingHandler.WAIT_SECONDS));
    }

    ledger.awaitAllReleasedOnce();
  }

  @Test
  void endsOnlyTheConnectionWhoseOnFrameThrows() throws Exception {
    endsOnlyTheConnectionThatFails(
        () ->
            new RecordingHandler() {
              @Override
              protected void received(Connection connection, byte[] content) {
                throw new IllegalStateException("onFrame fails on purpose");
              }
            },
        (connection, handler) -> {});
  }

  @Test
  void endsOnlyTheConnectionWhoseOnOpenThrows() throws Exception {
    endsOnlyTheConnectionThatFails(
        () ->
            new RecordingHandler() {
              @Override
              protected void opened(Connection connection) {
                throw new IllegalStateException("onOpen fails on purpose");
              }
            },
        (connection, handler) -> {});
  }

  @Test
  void endsOnlyTheConnectionWhoseTaskThrows() throws Exception {
    endsOnlyTheConnectionThatFails(
        RecordingHandler::new,
        (connection, handler) ->
            connection.execute(
                () -> {
                  throw new IllegalStateException("task fails on purpose");
                }));
  }

  private void endsOnlyTheConnectionThatFails(
      java.util.function.Supplier<RecordingHandler> failing,
      BiConsumer<Connection, RecordingHandler> provoke)
      throws Exception {
    AtomicBoolean first = new AtomicBoolean(true);
    Server server =
        serve(
            options().withIoThreads(1, "contract-io"),
            () -> first.getAndSet(false) ? failing.get() : new FrameContract.Echo(ledger));
    RecordingHandler failed = new RecordingHandler();
    Connection client = connect(server, failed);
    RecordingHandler accepted = server.awaitAccepted();
    RecordingHandler fine = new RecordingHandler();
    Connection other = connect(server, fine);

    client.send(ledger.frame(content(1, 10)));
    client.flush();
    provoke.accept(accepted.awaitOpen(), accepted);

    assertThat(accepted.awaitClosed()).isNotNull().hasMessageContaining("on purpose");
    failed.awaitClosed();
    other.send(ledger.frame(content(2, 10)));
    other.flush();
    assertThat(fine.awaitFrame()).isEqualTo(content(2, 10));
  }

  @Test
  void goesOnAfterAHandlerThatThrowsInOnClosedOrCouldNotBeMade() throws Exception {
    AtomicBoolean refuse = new AtomicBoolean(true);
    Transport transport = open(options());
    Listener listener =
        transport.listen(
            endpoint(),
            connection -> {
              if (refuse.getAndSet(false)) {
                throw new IllegalStateException("no handler on purpose");
              }
              return watched(
                  new RecordingHandler() {
                    @Override
                    protected void closed(Connection closed, @Nullable Throwable cause) {
                      throw new IllegalStateException("onClosed fails on purpose");
                    }
                  });
            });
    Transport clients = open(options());

    for (int i = 0; i < 3; i++) {
      RecordingHandler handler = watched(new RecordingHandler());
      Connection connection =
          clients
              .connect(listener.endpoint(), handler)
              .toCompletableFuture()
              .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
      connection.close();
      handler.awaitClosed();
    }
  }

  @Test
  void failsTheConnectWhereTheClientsOnOpenThrows() throws Exception {
    Server server = serve(options());
    RecordingHandler handler =
        watched(
            new RecordingHandler() {
              @Override
              protected void opened(Connection connection) {
                throw new IllegalStateException("onOpen fails on purpose");
              }
            });

    assertThat(failureOf(open(options()), server.listener.endpoint(), handler))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(server.listener.endpoint().toString());
    assertThat(handler.awaitClosed()).isNotNull();
    server.awaitAccepted().awaitClosed();
  }

  @Test
  void runsTasksInOrderOnTheCallbackThreadAndNeverInsideACallback() throws Exception {
    int count = 500;
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());
    RecordingHandler accepted = server.awaitAccepted();
    Connection connection = accepted.awaitOpen();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<String> wrong = new CopyOnWriteArrayList<>();
    CountDownLatch done = new CountDownLatch(count);

    for (int i = 0; i < count; i++) {
      int number = i;
      client.send(ledger.frame(content(i, 20)));
      client.flush();
      connection.execute(
          () -> {
            order.add(number);
            if (accepted.isInCallback()) {
              wrong.add("task " + number + " ran inside a callback");
            }
            done.countDown();
          });
    }

    assertThat(done.await(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    accepted.awaitFrames(count);
    assertThat(order).isSorted().hasSize(count);
    assertThat(wrong).isEmpty();
    CompletableFuture<Thread> taskThread = new CompletableFuture<>();
    connection.execute(() -> taskThread.complete(Thread.currentThread()));
    assertThat(taskThread.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS))
        .isSameAs(accepted.callbackThread());
  }

  @Test
  void runsTasksAlsoAfterTheConnectionHasEnded() throws Exception {
    Server server = serve(options());
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(server, handler);
    client.close();
    handler.awaitClosed();
    CompletableFuture<Boolean> ran = new CompletableFuture<>();

    client.execute(() -> ran.complete(true));

    assertThat(ran.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void closesEverythingWithTheTransport() throws Exception {
    Server server = serve(options());
    List<RecordingHandler> clients = new ArrayList<>();
    List<RecordingHandler> accepted = new ArrayList<>();
    Connection last = null;
    for (int i = 0; i < 5; i++) {
      RecordingHandler handler = new RecordingHandler();
      clients.add(handler);
      last = connect(server, handler);
      accepted.add(server.awaitAccepted());
    }
    accepted.forEach(RecordingHandler::awaitOpen);
    Endpoint endpoint = server.listener.endpoint();
    Connection atServer = accepted.get(0).awaitOpen();

    server.transport.close();
    server.transport.close();

    assertThat(accepted).as("closed when close() returns").allMatch(RecordingHandler::isClosed);
    clients.forEach(RecordingHandler::awaitClosed);
    assertThat(last).isNotNull();
    assertThat(server.listener.connectionCount()).isZero();
    assertThat(failureOf(server.transport, endpoint, new RecordingHandler()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed")
        .hasMessageContaining(endpoint.toString());
    assertThatThrownBy(() -> server.transport.listen(endpoint, made -> new RecordingHandler()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed")
        .hasMessageContaining(endpoint.toString());
    atServer.send(ledger.frame(content(1, 1)));
    atServer.flush();
    atServer.pauseReading();
    atServer.resumeReading();
    atServer.execute(() -> {});
    atServer.close();
  }

  @Test
  void sendsWhatIsPendingBeforeTheTransportCloses() throws Exception {
    Server server = serve(options());
    Transport clients = open(options());
    Connection client = connect(clients, server, new RecordingHandler());
    RecordingHandler accepted = server.awaitAccepted();

    for (int i = 0; i < 50; i++) {
      client.send(ledger.frame(content(i, 1_000)));
    }
    clients.close();

    assertThat(accepted.awaitFrames(50).get(49)).isEqualTo(content(49, 1_000));
    accepted.awaitClosed();
  }

  @Test
  void closesTheTransportInBoundedTimeWhilePeersDoNotRead() throws Exception {
    Server server = serve(options(), RecordingHandler::pausedAtOpen);
    Transport clients = open(options());
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(clients, server, handler);
    server.awaitAccepted().awaitOpen();
    for (int i = 0; i < 300; i++) {
      client.send(ledger.frame(content(i, 100_000)));
    }
    client.flush();

    clients.close();

    assertThat(handler.isClosed()).isTrue();
    ledger.awaitAllReleasedOnce();
  }

  @Test
  void refusesToCloseTheTransportFromACallback() throws Exception {
    CompletableFuture<Throwable> refusal = new CompletableFuture<>();
    Transport transport = open(options());
    ConnectionHandler.Factory handlers =
        connection ->
            watched(
                new RecordingHandler() {
                  @Override
                  protected void received(Connection receiver, byte[] content) {
                    try {
                      transport.close();
                      refusal.complete(new AssertionError("the transport closed"));
                    } catch (IllegalStateException e) {
                      refusal.complete(e);
                    }
                  }
                });
    Listener listener = transport.listen(endpoint(), handlers);
    Connection client =
        open(options())
            .connect(listener.endpoint(), watched(new RecordingHandler()))
            .toCompletableFuture()
            .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);

    client.send(ledger.frame(content(1, 1)));
    client.flush();

    assertThat(refusal.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("callback");
  }
}
