package io.weirmq.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weirmq.transport.Connection;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.ListenerCounters;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Listeners, limits and their counters. */
abstract class ListenerContract extends ContractCase {

  @Test
  void bindsSeveralListenersToEndpointsOfTheirOwn() throws Exception {
    Transport transport = open(options());
    Server one = new Server(transport, endpoint(), () -> watched(new RecordingHandler()));
    Server two = new Server(transport, endpoint(), () -> watched(new RecordingHandler()));

    Connection toOne = connect(one, new RecordingHandler());
    Connection toTwo = connect(two, new RecordingHandler());
    toTwo.send(ledger.frame(content(2, 20)));
    toTwo.flush();
    toOne.send(ledger.frame(content(1, 10)));
    toOne.flush();

    assertThat(one.listener.endpoint()).isNotEqualTo(two.listener.endpoint());
    assertThat(one.awaitAccepted().awaitFrame()).isEqualTo(content(1, 10));
    assertThat(two.awaitAccepted().awaitFrame()).isEqualTo(content(2, 20));
  }

  @Test
  void tellsWhatItKnowsOfAConnection() throws Exception {
    Server server = serve(options());
    Transport transport = open(options());
    Set<Long> ids = new HashSet<>();
    for (int i = 0; i < 5; i++) {
      Connection client = connect(transport, server, new RecordingHandler());
      Connection accepted = server.awaitAccepted().awaitOpen();

      assertThat(ids.add(client.id())).as("id %d is new", client.id()).isTrue();
      assertThat(client.endpoint()).isEqualTo(server.listener.endpoint());
      assertThat(accepted.endpoint()).isEqualTo(server.listener.endpoint());
      assertThat(accepted.peer().host()).isNotEmpty();
      assertThat(client.peer().host()).isNotEmpty();
    }
  }

  @Test
  void refusesAnEndpointThatIsTaken() throws Exception {
    Server server = serve(options());
    Endpoint taken = server.listener.endpoint();

    assertThatThrownBy(() -> open(options()).listen(taken, made -> new RecordingHandler()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(taken.toString());
  }

  @Test
  void givesItsEndpointFreeAndKeepsItsConnectionsWhenClosed() throws Exception {
    Server server = serve(options(), () -> new FrameContract.Echo(ledger));
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(server, handler);
    server.awaitAccepted().awaitOpen();
    Endpoint endpoint = server.listener.endpoint();

    server.listener.close();
    server.listener.close();

    assertThat(failureOf(open(options()), endpoint, new RecordingHandler()))
        .isInstanceOf(IOException.class);
    client.send(ledger.frame(content(1, 10)));
    client.flush();
    assertThat(handler.awaitFrame()).isEqualTo(content(1, 10));
    try (Listener next = open(options()).listen(endpoint, made -> new RecordingHandler())) {
      assertThat(next.endpoint()).isEqualTo(endpoint);
    }
  }

  @Test
  void refusesConnectsAsSoonAsItIsClosedAndNamesTheEndpoint() throws Exception {
    Transport servers = open(options());
    Transport clients = open(options());
    for (int round = 0; round < 50; round++) {
      Server server = new Server(servers, endpoint(), () -> watched(new RecordingHandler()));
      Endpoint endpoint = server.listener.endpoint();
      server.listener.close();
      RecordingHandler handler = new RecordingHandler();

      assertThat(failureOf(clients, endpoint, handler))
          .as("round %d", round)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(endpoint.toString());
      assertThat(handler.isOpened()).isFalse();
      assertThat(handler.isClosed()).isFalse();
    }
  }

  @Test
  void countsConnections() throws Exception {
    Server server = serve(options());
    Connection one = connect(server, new RecordingHandler());
    connect(server, new RecordingHandler());
    RecordingHandler first = server.awaitAccepted();
    server.awaitAccepted().awaitOpen();
    first.awaitOpen();

    assertThat(server.listener.connectionCount()).isEqualTo(2);
    one.close();
    awaitCount(server, 1);

    assertThat(server.listener.counters()).isEqualTo(new ListenerCounters(2, 0, 1, 0));
  }

  @Test
  void refusesConnectionsAboveTheTotalLimitAndCountsThem() throws Exception {
    refusesAbove(options().withConnectionLimits(3, Integer.MAX_VALUE));
  }

  @Test
  void refusesConnectionsAboveTheLimitPerHostAndCountsThem() throws Exception {
    refusesAbove(options().withConnectionLimits(Integer.MAX_VALUE, 3));
  }

  private void refusesAbove(TransportOptions limited) throws Exception {
    Server server = serve(limited, () -> new FrameContract.Echo(ledger));
    Transport clients = open(options());
    List<RecordingHandler> handlers = new ArrayList<>();
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      RecordingHandler handler = new RecordingHandler();
      handlers.add(handler);
      connections.add(connect(clients, server, handler));
      server.awaitAccepted().awaitOpen();
    }

    for (int i = 0; i < 5; i++) {
      expectRefusal(clients, server);
    }

    assertThat(server.unclaimedCount()).as("handlers made for refused connections").isZero();
    assertThat(server.listener.counters()).isEqualTo(new ListenerCounters(3, 5, 3, 0));
    connections.get(2).send(ledger.frame(content(7, 7)));
    connections.get(2).flush();
    assertThat(handlers.get(2).awaitFrame()).isEqualTo(content(7, 7));

    connections.get(0).close();
    awaitCount(server, 2);
    connect(clients, server, new RecordingHandler());
    server.awaitAccepted().awaitOpen();
  }

  /** A refused peer sees a failed connect, or a connection that ends at once. */
  private void expectRefusal(Transport clients, Server server) {
    RecordingHandler handler = watched(new RecordingHandler());
    boolean connected =
        clients
            .connect(server.listener.endpoint(), handler)
            .handle((connection, failure) -> failure == null)
            .toCompletableFuture()
            .orTimeout(RecordingHandler.WAIT_SECONDS, java.util.concurrent.TimeUnit.SECONDS)
            .join();
    if (connected) {
      handler.awaitClosed();
    }
  }

  @Test
  void endsAConnectionWhoseFrameIsOverTheLimitAndCountsIt() throws Exception {
    Server server = serve(options().withFrameBytesMax(1_000));
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(server, handler);
    RecordingHandler accepted = server.awaitAccepted();

    client.send(ledger.frame(content(1, 1_000)));
    client.send(ledger.frame(content(2, 1_001)));
    client.send(ledger.frame(content(3, 1)));
    client.flush();

    assertThat(accepted.awaitFrame()).isEqualTo(content(1, 1_000));
    assertThat(accepted.awaitClosed()).isNotNull().hasMessageContaining("1001");
    handler.awaitClosed();
    assertThat(accepted.frameCount()).isEqualTo(1);
    assertThat(server.listener.counters()).isEqualTo(new ListenerCounters(1, 0, 0, 1));
  }

  @Test
  void endsIdleConnections() throws Exception {
    Server server = serve(options().withIdleTimeout(Duration.ofMillis(250)));
    RecordingHandler handler = new RecordingHandler();
    connect(server, handler);

    assertThat(server.awaitAccepted().awaitClosed()).as("cause").isNotNull();
    handler.awaitClosed();
    awaitCount(server, 0);
  }

  @Test
  void servesManyConnectionsSideBySide() throws Exception {
    int count = 40;
    int frames = 100;
    Server server = serve(options(), () -> new FrameContract.Echo(ledger));
    Transport clients = open(options());
    List<RecordingHandler> handlers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      RecordingHandler handler = new RecordingHandler();
      handlers.add(handler);
      Connection client = connect(clients, server, handler);
      for (int j = 0; j < frames; j++) {
        client.send(ledger.frame(content(i * 1_000 + j, 50 + j)));
      }
      client.flush();
    }

    for (int i = 0; i < count; i++) {
      for (int j = 0; j < frames; j++) {
        assertThat(handlers.get(i).awaitFrame())
            .as("frame %d of connection %d", j, i)
            .isEqualTo(content(i * 1_000 + j, 50 + j));
      }
    }
    assertThat(server.listener.connectionCount()).isEqualTo(count);
  }

  private static void awaitCount(Server server, int count) {
    await("open connections")
        .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> server.listener.connectionCount() == count);
  }
}
