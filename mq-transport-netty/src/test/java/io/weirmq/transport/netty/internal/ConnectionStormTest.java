package io.weirmq.transport.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ListenerCounters;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.netty.LeakGuard;
import io.weirmq.transport.netty.NettyIo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** NT-08: reconnect storms and half-open peers. */
@ExtendWith(LeakGuard.class)
final class ConnectionStormTest {

  private static final int LIMIT = 50;
  private static final int STORM = 2_000;

  @ParameterizedTest
  @EnumSource(NettyIo.class)
  void nt08_turnsAStormAwayAboveTheLimitAndServesRunningConnections(NettyIo io) throws Exception {
    AtomicInteger openNow = new AtomicInteger();
    AtomicInteger openMost = new AtomicInteger();
    TransportOptions options =
        TransportOptions.defaults().withConnectionLimits(LIMIT, LIMIT).withIoThreads(1, "nt08");
    try (NettyFixture server =
            new NettyFixture(io, options, made -> new Counting(openNow, openMost));
        RawClient running = RawClient.connect(server.endpoint())) {
      List<RawClient> storm = new ArrayList<>();
      for (int i = 0; i < STORM; i++) {
        storm.add(RawClient.connect(server.endpoint()));
        if (i % 20 == 0) {
          running.writeFrame((byte) i);
          assertThat(running.readFrame()).containsExactly((byte) i);
        }
      }
      NettyFixture.eventually(
          "all accepted or refused",
          () -> {
            ListenerCounters counters = server.listener.counters();
            return counters.accepted() + counters.refused() == STORM + 1;
          });

      assertThat(server.listener.counters())
          .isEqualTo(new ListenerCounters(LIMIT, STORM + 1 - LIMIT, LIMIT, 0));
      assertThat(openMost).as("handlers open at once").hasValueLessThanOrEqualTo(LIMIT);
      storm.get(STORM - 1).awaitEnd();
      for (RawClient client : storm) {
        client.close();
      }
      NettyFixture.eventually(
          "only the running one is left", () -> server.listener.connectionCount() == 1);
      running.writeFrame((byte) 9);
      assertThat(running.readFrame()).containsExactly(9);
      try (RawClient next = RawClient.connect(server.endpoint())) {
        next.writeFrame((byte) 3);
        assertThat(next.readFrame()).as("a place is free again").containsExactly(3);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(NettyIo.class)
  void nt08_letsSilentPeersGoAndKeepsThoseThatTalk(NettyIo io) throws Exception {
    AtomicInteger openNow = new AtomicInteger();
    TransportOptions options = TransportOptions.defaults().withIdleTimeout(Duration.ofSeconds(1));
    try (NettyFixture server =
            new NettyFixture(io, options, made -> new Counting(openNow, new AtomicInteger()));
        RawClient talking = RawClient.connect(server.endpoint())) {
      List<RawClient> silent = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        RawClient client = RawClient.connect(server.endpoint());
        // Half of them vanish inside a frame.
        client.write(i % 2 == 0 ? new byte[] {0, 0, 1} : new byte[0]);
        silent.add(client);
      }

      NettyFixture.eventually(
          "all accepted", () -> server.listener.counters().accepted() == 1 + silent.size());

      NettyFixture.eventually(
          "silent peers gone",
          () -> {
            talking.writeFrame((byte) 1);
            talking.readFrame();
            return server.listener.connectionCount() == 1;
          });

      NettyFixture.eventually("handlers told", () -> openNow.get() == 1);
      for (RawClient client : silent) {
        client.awaitEnd();
        client.close();
      }
    }
  }

  /** Echoes, and counts the connections that are open. */
  private static final class Counting extends RecordingHandler {

    private final AtomicInteger openNow;
    private final AtomicInteger openMost;

    Counting(AtomicInteger openNow, AtomicInteger openMost) {
      this.openNow = openNow;
      this.openMost = openMost;
    }

    @Override
    protected void opened(Connection connection) {
      int open = openNow.incrementAndGet();
      openMost.accumulateAndGet(open, Math::max);
    }

    @Override
    protected void received(Connection connection, byte[] content) {
      connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
      connection.flush();
    }

    @Override
    protected void closed(Connection connection, @Nullable Throwable cause) {
      openNow.decrementAndGet();
    }
  }
}
