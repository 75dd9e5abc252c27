package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weirmq.testkit.host.TinyMemory;
import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.TestFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A peer that takes the pages of its rings back and fills the file system: each access is a fault,
 * and the file is as long as it was.
 */
@Timeout(60)
final class HolesTest {

  private static final int BALLAST_BYTES = 1024 * 1024;

  @Test
  void sm05_aPeerThatPunchesHolesEndsItsConnectionOnly() throws Exception {
    try (TinyMemory memory = TinyMemory.mount(TestFolder.existing())) {
      Path folder = memory.path();
      TransportOptions options = TransportOptions.defaults().withIoThreads(1, "holes");
      BlockingQueue<RecordingHandler> accepted = new LinkedBlockingQueue<>();
      try (ShmTransport server = Transports.open(options);
          ShmTransport clients = Transports.open(options)) {
        server.listen(
            TestFolder.endpoint(folder),
            made -> {
              RecordingHandler handler = new Echo();
              accepted.add(handler);
              return handler;
            });
        RecordingHandler honest = new RecordingHandler();
        Connection bystander =
            clients
                .connect(TestFolder.endpoint(folder), honest)
                .toCompletableFuture()
                .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
        assertServed(accepted.take(), bystander, honest);
        try (RawPeer.Joined peer = RawPeer.join(folder)) {
          RecordingHandler atServer = accepted.take();
          atServer.awaitOpen();
          punch(folder, peer.memory().capacity());
          assertThatThrownBy(() -> Files.write(folder.resolve("ballast"), new byte[BALLAST_BYTES]))
              .isInstanceOf(IOException.class);
          peer.peer().ring();

          assertThat(atServer.awaitClosed()).isNotNull().hasMessageContaining("with holes");
        }
        assertServed(null, bystander, honest);
        assertThat(honest.isClosed()).isFalse();
      }
    }
  }

  private static final class Echo extends RecordingHandler {
    @Override
    protected void received(Connection connection, byte[] content) {
      connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
      connection.flush();
    }
  }

  private static void assertServed(
      @Nullable RecordingHandler atServer, Connection connection, RecordingHandler handler) {
    if (atServer != null) {
      atServer.awaitOpen();
    }
    for (int i = 0; i < 20; i++) {
      connection.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {(byte) i})));
      connection.flush();
      assertThat(handler.awaitFrame()).containsExactly(i);
    }
  }

  /** Takes the pages of the newest ring file that this process has open. */
  private static void punch(Path folder, int bytes) throws Exception {
    List<Path> rings;
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      rings =
          files
              .filter(file -> target(file).startsWith(folder + "/ring-"))
              .sorted(Comparator.comparingInt(file -> number(file)))
              .toList();
    }
    String descriptor =
        "/proc/%d/fd/%d"
            .formatted(ProcessHandle.current().pid(), number(rings.get(rings.size() - 1)));
    Process process =
        new ProcessBuilder(
                "fallocate",
                "--punch-hole",
                "--offset",
                "0",
                "--length",
                Integer.toString(bytes),
                descriptor)
            .start();
    assumeTrue(process.waitFor() == 0, "this system can't punch holes");
  }

  private static int number(Path file) {
    return Integer.parseInt(file.getFileName().toString());
  }

  private static String target(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }
}
