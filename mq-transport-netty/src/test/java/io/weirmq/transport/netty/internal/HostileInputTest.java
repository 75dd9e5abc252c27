package io.weirmq.transport.netty.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.netty.LeakGuard;
import io.weirmq.transport.netty.NettyIo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** NT-03: what arrives is not our protocol. */
@ExtendWith(LeakGuard.class)
final class HostileInputTest {

  private static final int CONNECTIONS = 3_000;

  private static final List<byte[]> REFUSED =
      List.of(
          "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII),
          HexFormat.of().parseHex("16030102000100"), // a TLS hello
          HexFormat.of().parseHex("ffffffff"),
          HexFormat.of().parseHex("80000000"),
          HexFormat.of().parseHex("7fffffff00"),
          HexFormat.of().parseHex("064000015a5a5a5a")); // one byte over 100 MiB

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger("io.weirmq.transport");

  @BeforeEach
  void watchLog() {
    logged.start();
    logger.addAppender(logged);
  }

  @AfterEach
  void unwatchLog() {
    logger.detachAppender(logged);
  }

  @ParameterizedTest
  @EnumSource(NettyIo.class)
  void nt03_closesForeignConnectionsAndKeepsMemoryFlat(NettyIo io) throws Exception {
    try (NettyFixture server =
        new NettyFixture(io, TransportOptions.defaults(), made -> new Echo())) {
      try (RawClient bystander = RawClient.connect(server.endpoint())) {
        send(server, REFUSED.get(0));
        long reserved = server.memoryReserved();
        for (int i = 1; i < CONNECTIONS; i++) {
          send(server, REFUSED.get(i % REFUSED.size()));
        }

        bystander.writeFrame((byte) 1, (byte) 2);
        assertThat(bystander.readFrame()).containsExactly(1, 2);
        assertThat(server.listener.counters().framingErrors()).isEqualTo(CONNECTIONS);
        assertThat(server.memoryReserved()).as("pool size").isLessThanOrEqualTo(2 * reserved);
      }
      NettyFixture.eventually("all closed", () -> server.listener.connectionCount() == 0);
      NettyFixture.eventually("memory free", () -> server.memoryInUse() == 0);
    }
    List<String> warnings =
        logged.list.stream()
            .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
            .map(ILoggingEvent::getFormattedMessage)
            .toList();
    assertThat(warnings)
        .as("one line in ten seconds")
        .hasSizeBetween(1, 7)
        .first()
        .asString()
        .contains("1195725856", "0..104857600", "looks like HTTP", "127.0.0.1");
  }

  @ParameterizedTest
  @EnumSource(NettyIo.class)
  void nt03_reservesNothingForWhatHalfFramesClaim(NettyIo io) throws Exception {
    int connections = 500;
    byte[] claim = HexFormat.of().parseHex("06400000" + "00".repeat(20)); // 100 MiB, 20 bytes come
    try (NettyFixture server =
        new NettyFixture(io, TransportOptions.defaults(), made -> new Echo())) {
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        RawClient client = RawClient.connect(server.endpoint());
        client.write(claim);
        clients.add(client);
      }
      NettyFixture.eventually(
          "all half frames arrived",
          () -> server.memoryInUse() > 0 && server.listener.connectionCount() == connections);

      assertThat(server.memoryInUse()).as("bytes in use").isLessThan(connections * 8L * 1024);
      for (RawClient client : clients) {
        client.close();
      }
      NettyFixture.eventually("memory free", () -> server.memoryInUse() == 0);
    }
  }

  @ParameterizedTest
  @EnumSource(NettyIo.class)
  void nt03_servesFramesOfAnySmallLengthAsTheyAre(NettyIo io) throws Exception {
    try (NettyFixture server =
            new NettyFixture(io, TransportOptions.defaults(), made -> new Echo());
        RawClient client = RawClient.connect(server.endpoint())) {
      for (int length = 0; length < 20; length++) {
        client.writeFrame(new byte[length]);
        assertThat(client.readFrame()).hasSize(length);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(NettyIo.class)
  void answersAPeerThatHasEndedItsOutput(NettyIo io) throws Exception {
    try (NettyFixture server =
        new NettyFixture(io, TransportOptions.defaults(), made -> new Echo())) {
      for (int i = 0; i < 50; i++) {
        try (RawClient client = RawClient.connect(server.endpoint())) {
          client.writeFrame(new byte[i * 100]);
          client.writeFrame((byte) i);
          client.endOutput();

          assertThat(client.readFrame()).hasSize(i * 100);
          assertThat(client.readFrame()).containsExactly((byte) i);
          client.awaitEnd();
        }
      }
    }
  }

  private static void send(NettyFixture server, byte[] bytes) throws Exception {
    try (RawClient client = RawClient.connect(server.endpoint())) {
      client.write(bytes);
      client.awaitEnd();
    }
  }

  private static final class Echo extends RecordingHandler {
    @Override
    protected void received(Connection connection, byte[] content) {
      connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
      connection.flush();
    }
  }
}
