package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Listener;
import io.weirmq.transport.ListenerCounters;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.ShmOptions;
import io.weirmq.transport.shm.ShmTransportProvider;
import io.weirmq.transport.shm.TestFolder;
import io.weirmq.transport.shm.internal.folder.LocalConnect;
import io.weirmq.transport.shm.internal.folder.MappingLedger;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Peers that do not shake hands as they should, on both sides. */
final class HandshakeTest {

  private static final Duration WAIT = Duration.ofSeconds(RecordingHandler.WAIT_SECONDS);

  private final Path folder = TestFolder.fresh();

  private Listener listen(Transport transport) throws IOException {
    return transport.listen(
        TestFolder.endpoint(folder),
        made ->
            new RecordingHandler() {
              @Override
              protected void received(Connection connection, byte[] content) {
                connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
                connection.flush();
              }
            });
  }

  /** The listener serves honest peers, and its folder holds nothing but the two files. */
  private void assertUnharmed(ShmTransport server) throws Exception {
    try (ShmTransport clients = Transports.open()) {
      RecordingHandler handler = new RecordingHandler();
      Connection client = connect(clients, handler);
      client.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {1, 2, 3})));
      client.flush();
      assertThat(handler.awaitFrame()).containsExactly(1, 2, 3);
    }
    await().atMost(WAIT).until(() -> server.handshakeCount() == 0);
    assertThat(TestFolder.files(folder)).containsExactly("lock", "socket");
  }

  private Connection connect(Transport transport, RecordingHandler handler) throws Exception {
    return transport
        .connect(TestFolder.endpoint(folder), handler)
        .toCompletableFuture()
        .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void aPeerFromTheDocumentedBytesIsServed() throws Exception {
    try (ShmTransport server = Transports.open();
        Listener listener = listen(server);
        RawPeer.Joined peer = RawPeer.join(folder)) {
      var writer = peer.writer();
      writer.memory().put(writer.claim(4), new byte[] {5, 6, 7, 8});
      writer.commit(1);
      peer.peer().ring();
      List<byte[]> echoed = new ArrayList<>();
      var reader = peer.reader();
      await()
          .atMost(WAIT)
          .until(
              () ->
                  reader.read(
                          (kind, memory, position, length) -> {
                            byte[] content = new byte[length];
                            memory.get(position, content);
                            echoed.add(content);
                            return true;
                          },
                          10)
                      > 0);

      assertThat(echoed).singleElement().isEqualTo(new byte[] {5, 6, 7, 8});
      assertThat(TestFolder.files(folder)).containsExactly("lock", "socket");
      assertThat(listener.counters()).isEqualTo(new ListenerCounters(1, 0, 1, 0));
    }
  }

  /** It has the name and the right to, and the connection does not exist yet. */
  @Test
  void sm11_aPeerThatCutsTheFileBeforeItConfirmsLeavesNothing() throws Exception {
    try (ShmTransport server = Transports.open();
        Listener listener = listen(server)) {
      assertUnharmed(server);
      ProcessResources before = new ProcessResources(ProcessResources.count(folder).files(), 0);
      for (int i = 0; i < 100; i++) {
        try (RawPeer peer = RawPeer.connect(folder)) {
          peer.sayHello();
          peer.readGrant();
          try (RawPeer.Joined joined = peer.map()) {
            joined.file().truncate(0);
            peer.confirm();
            if (i % 2 == 0) {
              ringUnlessEnded(peer);
              peer.awaitEnd();
            }
          }
        }
      }

      await().atMost(WAIT).untilAsserted(() -> assertThat(listener.counters().open()).isZero());
      before.awaitAgain(folder);
      assertUnharmed(server);
      await()
          .atMost(WAIT)
          .untilAsserted(
              () -> {
                System.gc();
                assertThat(server.closedMappingCount()).isZero();
              });
    }
  }

  private static void ringUnlessEnded(RawPeer peer) {
    try {
      peer.ring();
    } catch (IOException e) {
      assertThat(e).hasMessageMatching("Connection reset.*|Broken pipe");
    }
  }

  @Test
  void sm11_memoryOfHandshakesThatFailedIsCounted() throws Exception {
    AtomicInteger collections = new AtomicInteger();
    // Each handshake takes two rings of 64 KiB; the fourth finds more than three of them closed.
    MappingLedger ledger = new MappingLedger(collections::incrementAndGet, 3 * 2 * 64 * 1024);
    try (ShmTransport server = Transports.openWith(ledger);
        Listener listener = listen(server)) {
      // More than four where the JVM collects by itself meanwhile, and begins the count anew.
      for (int i = 0; i < 50 && collections.get() == 0; i++) {
        try (RawPeer peer = RawPeer.connect(folder)) {
          peer.sayHello();
          peer.readGrant();
        }
        await().atMost(WAIT).until(() -> server.handshakeCount() == 0);
      }

      assertThat(listener.counters().accepted()).isZero();
      assertThat(collections).as("collections that were asked for").hasValue(1);
    }
  }

  @Test
  void dropsPeersThatSendRandomBytes() throws Exception {
    try (ShmTransport server = Transports.open();
        Listener listener = listen(server)) {
      for (int seed = 0; seed < 200; seed++) {
        Random random = new Random(seed);
        byte[] bytes = new byte[1 + random.nextInt(64)];
        random.nextBytes(bytes);
        try (RawPeer peer = RawPeer.connect(folder)) {
          peer.send(bytes);
          if (bytes.length >= 16) {
            peer.awaitEnd();
          }
        }
      }
      assertUnharmed(server);
      assertThat(listener.counters().accepted()).isEqualTo(1);
    }
  }

  @Test
  void dropsPeersThatSendRandomBytesAfterTheAnswer() throws Exception {
    try (ShmTransport server = Transports.open();
        Listener listener = listen(server)) {
      for (int seed = 2; seed < 50; seed++) {
        try (RawPeer peer = RawPeer.connect(folder)) {
          peer.sayHello();
          peer.readGrant();
          peer.send(new byte[] {(byte) seed});
          peer.awaitEnd();
        }
      }
      assertUnharmed(server);
      assertThat(listener.connectionCount()).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void dropsPeersThatSayNothingOrHalf() throws Exception {
    try (ShmTransport server = Transports.openWithHandshakes(10, Duration.ofMillis(100));
        Listener listener = listen(server);
        RawPeer silent = RawPeer.connect(folder);
        RawPeer half = RawPeer.connect(folder);
        RawPeer unconfirmed = RawPeer.connect(folder)) {
      half.send(new byte[] {'W', 'e'});
      unconfirmed.sayHello();
      unconfirmed.readGrant();

      silent.awaitEnd();
      half.awaitEnd();
      unconfirmed.awaitEnd();

      assertUnharmed(server);
      assertThat(listener.counters().accepted()).isEqualTo(1);
    }
  }

  @Test
  void takesAHelloThatComesByteByByte() throws Exception {
    try (ShmTransport server = Transports.open();
        Listener listener = listen(server);
        RawPeer peer = RawPeer.connect(folder)) {
      for (byte each : RawPeer.hello()) {
        peer.send(new byte[] {each});
      }
      peer.readGrant();
      peer.map().file().close();
      peer.confirm();

      await().atMost(WAIT).until(() -> listener.connectionCount() == 1);
    }
  }

  @Test
  void sm11_givesEverythingBackWhereAPeerDiesAtAnyStep() throws Exception {
    TransportOptions two = TransportOptions.defaults().withConnectionLimits(2, 2);
    try (ShmTransport server = Transports.open(two);
        Listener listener = listen(server)) {
      for (int round = 0; round < 60; round++) {
        try (RawPeer peer = RawPeer.connect(folder)) {
          int steps = round % 4;
          if (steps > 0) {
            peer.sayHello();
          }
          if (steps > 1) {
            peer.readGrant();
          }
          if (steps > 2) {
            peer.map().file().close();
          }
        }
      }
      await().atMost(WAIT).until(() -> server.handshakeCount() == 0);
      assertUnharmed(server);
      assertThat(listener.counters().refused()).isZero();
    }
  }

  @Test
  void aFloodOfSilentPeersTakesABoundedNumberOfPlaces() throws Exception {
    int limit = 8;
    List<RawPeer> silent = new ArrayList<>();
    try (ShmTransport server = Transports.openWithHandshakes(limit, Duration.ofMinutes(5));
        Listener listener = listen(server)) {
      for (int i = 0; i < 200; i++) {
        silent.add(RawPeer.connect(folder));
        assertThat(server.handshakeCount()).isLessThanOrEqualTo(limit);
      }
      silent.get(0).awaitEnd();

      RecordingHandler handler = new RecordingHandler();
      try (ShmTransport clients = Transports.open()) {
        Connection client = connect(clients, handler);
        client.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {9})));
        client.flush();
        assertThat(handler.awaitFrame()).containsExactly(9);
      }
      assertThat(listener.counters().accepted()).isEqualTo(1);
    } finally {
      for (RawPeer peer : silent) {
        peer.close();
      }
    }
  }

  @Test
  void saysWhyItRefuses() throws Exception {
    try (ShmTransport server = Transports.open();
        Listener listener = listen(server);
        RawPeer stranger = RawPeer.connect(folder);
        RawPeer newer = RawPeer.connect(folder)) {
      stranger.send("GET / HTTP/1.1\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      byte[] hello = RawPeer.hello();
      hello[7] = 2;
      newer.send(hello);

      assertThat(stranger.readRefusal()).startsWith("handshake begins with 474554202f204854");
      assertThat(newer.readRefusal())
          .isEqualTo("the peer speaks version 2 of the shared-memory transport; expected 1");
      assertThat(listener.counters().accepted()).isZero();
    }
  }

  @Test
  void sm14_aConnectingSideMeetsNobodyOfAnotherUser() throws Exception {
    UserPrincipal other =
        folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("4242");
    try (ShmTransport server = Transports.open();
        Listener listener = listen(server);
        ShmTransport client = Transports.openAs(other)) {
      assertThatThrownBy(() -> connect(client, new RecordingHandler()))
          .cause()
          .isInstanceOf(IOException.class)
          .hasMessageContaining("only 4242 is admitted")
          .hasMessageContaining(folder.toString());
      assertThat(listener.counters().accepted()).isZero();
    }
  }

  @Test
  void grantsRingsWithinItsBounds() throws Exception {
    ShmOptions wantsLarge = ShmOptions.defaults().withRings(1 << 20, 1 << 21);
    try (ShmTransport server = Transports.open();
        Listener listener = listen(server);
        Transport client = new ShmTransportProvider(wantsLarge).open(TransportOptions.defaults())) {
      RecordingHandler handler = new RecordingHandler();
      Connection connection = connect(client, handler);
      byte[] large = new byte[1_000_000];
      new Random(3).nextBytes(large);
      connection.send(OutboundFrame.of(ByteBuffer.wrap(large)));
      connection.flush();

      assertThat(handler.awaitFrame()).isEqualTo(large);
      assertThat(listener.connectionCount()).isEqualTo(1);
    }
  }

  @Test
  void aConnectingSideBelievesNoListener() throws Exception {
    Files.createDirectory(folder);
    byte[] granted = answer(0, 1 << 20, 1 << 20, "ring-0123456789abcdef");
    Files.write(folder.resolve("ring-0123456789abcdef"), new byte[100]);

    assertThat(failureWith(answer(0, 1 << 20, 12, "ring-0123456789abcdef")))
        .contains("grants a ring of 12 bytes");
    assertThat(failureWith(granted)).contains("has 100 bytes; expected 2098176");
    assertThat(failureWith(answer(0, 1 << 20, 1 << 20, "../../etc/passwd")))
        .contains("'../../etc/passwd'");
    assertThat(failureWith(answer(1, 0, 0, "no room")))
        .contains("refused by the listener: no room");
    assertThat(failureWith(answer(7, 0, 0, "?"))).contains("status 7");
    assertThat(
            failureWith(
                "HTTP/1.1 400 Bad Request\r\n"
                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
        .contains("handshake begins with");
    assertThat(failureWith(new byte[] {'W'})).contains("ended within the handshake");
    byte[] longText = answer(0, 1 << 20, 1 << 20, "");
    longText[17] = (byte) 0x80;
    assertThat(failureWith(longText)).contains("expected 0 to 512");
  }

  private static byte[] answer(int status, int toServer, int toClient, String text) {
    byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    return ByteBuffer.allocate(19 + bytes.length)
        .put(java.util.Arrays.copyOf(RawPeer.hello(), 8))
        .put((byte) status)
        .putInt(toServer)
        .putInt(toClient)
        .putShort((short) bytes.length)
        .put(bytes)
        .array();
  }

  /** Connects to a listener that answers so, and returns why that fails. */
  private String failureWith(byte[] answer) throws Exception {
    Path socket = folder.resolve("socket");
    Files.deleteIfExists(socket);
    try (ServerSocketChannel fake = ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX);
        Transport client = new ShmTransportProvider().open(TransportOptions.defaults())) {
      fake.bind(UnixDomainSocketAddress.of(socket));
      CompletableFuture<Connection> result =
          client.connect(TestFolder.endpoint(folder), new RecordingHandler()).toCompletableFuture();
      try (SocketChannel accepted = fake.accept()) {
        accepted.read(ByteBuffer.allocate(16));
        accepted.write(ByteBuffer.wrap(answer));
      }
      return result
          .handle((connection, failure) -> String.valueOf(failure.getMessage()))
          .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Test
  void failsWhereAListenerSaysNothing() throws Exception {
    Files.createDirectory(folder);
    try (ServerSocketChannel mute = ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX);
        ShmTransport client = Transports.openWithHandshakes(1, Duration.ofMillis(50))) {
      mute.bind(UnixDomainSocketAddress.of(folder.resolve("socket")));

      assertThatThrownBy(() -> connect(client, new RecordingHandler()))
          .cause()
          .hasMessageContaining("no answer within PT0.05S");
    }
  }

  @Test
  void waitsWhereTheListenersQueueIsFull() throws Exception {
    Files.createDirectory(folder);
    List<SocketChannel> queue = new ArrayList<>();
    try (ServerSocketChannel busy = ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX);
        ShmTransport client = Transports.openWithHandshakes(1, Duration.ofMillis(100))) {
      UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
      busy.bind(address, 1);
      boolean room = true;
      while (room) {
        SocketChannel waiting = SocketChannel.open(java.net.StandardProtocolFamily.UNIX);
        waiting.configureBlocking(false);
        room = LocalConnect.connect(waiting, folder);
        queue.add(waiting);
      }

      assertThatThrownBy(() -> connect(client, new RecordingHandler()))
          .cause()
          .hasMessageContaining("no answer within PT0.1S");
    } finally {
      for (SocketChannel each : queue) {
        each.close();
      }
    }
  }
}
