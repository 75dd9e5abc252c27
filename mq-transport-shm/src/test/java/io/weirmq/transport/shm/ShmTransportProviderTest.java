package io.weirmq.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.Peer;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ShmTransportProviderTest {

  @Test
  void isFoundForShm() {
    assertThat(TransportProviders.find("shm")).get().isInstanceOf(ShmTransportProvider.class);
  }

  @Test
  void sm14_leavesNothingOpenToOthersAndNoRingBehind() throws Exception {
    Path folder = TestFolder.fresh();
    try (Transport transport = new ShmTransportProvider().open(TransportOptions.defaults());
        Listener listener =
            transport.listen(TestFolder.endpoint(folder), made -> new RecordingHandler())) {
      connect(transport, listener.endpoint());
      await()
          .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
          .until(() -> listener.connectionCount() == 1);

      assertThat(TestFolder.files(folder)).containsExactly("lock", "socket");
      assertThat(mode(folder)).isEqualTo("rwx------");
      assertThat(mode(folder.resolve("socket"))).isEqualTo("rw-------");
      assertThat(mode(folder.resolve("lock"))).isEqualTo("rw-------");
    }
    assertThat(TestFolder.files(folder)).isEmpty();
  }

  @Test
  void tellsThePeersUserAsTheSystemDoes() throws Exception {
    Path folder = TestFolder.fresh();
    CompletableFuture<Peer> atServer = new CompletableFuture<>();
    try (Transport transport = new ShmTransportProvider().open(TransportOptions.defaults());
        Listener listener =
            transport.listen(
                TestFolder.endpoint(folder),
                made -> {
                  atServer.complete(made.peer());
                  return new RecordingHandler();
                })) {
      Connection client = connect(transport, listener.endpoint());
      PosixFileAttributes own =
          Files.readAttributes(folder.resolve("lock"), PosixFileAttributes.class);
      Peer.UnixUser self = new Peer.UnixUser(own.owner().getName(), own.group().getName());

      Peer peer = atServer.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
      assertThat(peer.unixUser()).isEqualTo(self);
      assertThat(peer.host()).isEqualTo(self.user());
      assertThat(client.peer().unixUser()).isEqualTo(self);
      assertThat(client.peer().host()).isEqualTo(folder.toString());
    }
  }

  @Test
  void sm14_namesThePathWhereItIsTooLongForASocket() {
    String folder = "/tmp/" + "x".repeat(100);
    try (Transport transport = new ShmTransportProvider().open(TransportOptions.defaults())) {
      Endpoint endpoint = Endpoint.ofPath("shm", folder);

      assertThatThrownBy(() -> transport.listen(endpoint, made -> new RecordingHandler()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(folder + "/socket")
          .hasMessageContaining("112 bytes")
          .hasMessageContaining("107");
      assertThatThrownBy(() -> connect(transport, endpoint))
          .cause()
          .isInstanceOf(IOException.class)
          .hasMessageContaining(folder + "/socket");
      assertThat(Path.of(folder)).doesNotExist();
    }
  }

  @Test
  void sm14_saysWhereNobodyListensAndAsWhom() {
    Path folder = TestFolder.fresh();
    try (Transport transport = new ShmTransportProvider().open(TransportOptions.defaults())) {
      assertThatThrownBy(() -> connect(transport, TestFolder.endpoint(folder)))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOf(IOException.class)
          .hasMessageContaining(folder.toString())
          .hasMessageContaining("as user ");
    }
  }

  @Test
  void refusesPropertiesThatItDoesNotKnow() {
    TransportOptions misspelt =
        TransportOptions.defaults().withProperties(Map.of("shm.wait.strateg", "adaptive"));

    assertThatThrownBy(() -> new ShmTransportProvider().open(misspelt))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("shm.wait.strateg")
        .hasMessageContaining("shm.wait.strategy");
  }

  @Test
  void leavesNoThreadBehind() throws Exception {
    TransportOptions named = TransportOptions.defaults().withIoThreads(3, "left-behind-test");
    Path folder = TestFolder.fresh();
    Transport transport = new ShmTransportProvider().open(named);
    Listener listener =
        transport.listen(TestFolder.endpoint(folder), made -> new RecordingHandler());
    for (int i = 0; i < 6; i++) {
      connect(transport, listener.endpoint());
    }
    assertThat(threadsNamed("left-behind-test")).isEqualTo(4);

    transport.close();

    assertThat(threadsNamed("left-behind-test")).isZero();
    try (Transport next = new ShmTransportProvider().open(named);
        Listener again = next.listen(TestFolder.endpoint(folder), made -> new RecordingHandler())) {
      assertThat(again.endpoint()).isEqualTo(listener.endpoint());
    }
  }

  private static Connection connect(Transport transport, Endpoint endpoint) throws Exception {
    return transport
        .connect(endpoint, new RecordingHandler())
        .toCompletableFuture()
        .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static long threadsNamed(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .count();
  }
}
