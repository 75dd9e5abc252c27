package io.weirmq.transport.shm.internal.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.testkit.host.TinyMemory;
import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.ShmOptions;
import io.weirmq.transport.shm.ShmTransportProvider;
import io.weirmq.transport.shm.TestFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** SM-05, on {@linkplain TinyMemory a file system that is soon full}. */
final class FullMemoryTest {

  private static final int BALLAST_BYTES = 1024 * 1024;

  @Test
  void sm05_saysWhatIsNeededAndLeavesNothingBehind() throws Exception {
    onTinyMemory(
        path -> {
          ServerFolder folder =
              ServerFolder.open(path, FolderAccess.ownerOnly(OwnUser.find()), new Random(1));
          RingSizes large = new RingSizes(1024 * 1024, 1024 * 1024);

          assertThatThrownBy(() -> folder.newRing(large))
              .isInstanceOf(IOException.class)
              .hasMessageContaining(path.toString())
              .hasMessageContaining("2098176 bytes are needed")
              .hasMessageContaining("1048576 are free")
              .hasMessageContaining("--shm-size");

          assertThat(TestFolder.files(path)).containsExactly("lock", "socket");
          folder.newRing(new RingSizes(64 * 1024, 64 * 1024)).unlink();
          folder.server().close();
          folder.close();
        });
  }

  @Test
  void sm05_whatWasReservedCanBeWrittenWhenTheRestIsFull() throws Exception {
    onTinyMemory(
        path -> {
          ServerFolder folder =
              ServerFolder.open(path, FolderAccess.ownerOnly(OwnUser.find()), new Random(1));
          RingFile ring = folder.newRing(new RingSizes(256 * 1024, 256 * 1024));
          ring.unlink();
          assertThatThrownBy(() -> Files.write(path.resolve("ballast"), new byte[BALLAST_BYTES]))
              .isInstanceOf(IOException.class);

          // Without reserved pages the first of these writes would end the process.
          ByteBuffer memory = ring.memory();
          for (int position = 0; position < memory.capacity(); position++) {
            memory.put(position, (byte) position);
          }

          assertThat(memory.get(memory.capacity() - 1)).isEqualTo((byte) (memory.capacity() - 1));
          folder.server().close();
          folder.close();

          assertThat(TestFolder.files(path)).containsExactly("ballast", "lock");
          ServerFolder next =
              ServerFolder.open(path, FolderAccess.ownerOnly(OwnUser.find()), new Random(2));
          next.server().close();
          next.close();
        });
  }

  /** Eight connections fit at a time. */
  @Test
  void sm05_memoryOfConnectionsThatHaveEndedServesLaterOnes() throws Exception {
    onTinyMemory(
        path -> {
          ShmTransportProvider provider =
              new ShmTransportProvider(ShmOptions.defaults().withRings(64 * 1024, 64 * 1024));
          try (Transport server = provider.open(TransportOptions.defaults());
              Transport clients = provider.open(TransportOptions.defaults())) {
            Endpoint endpoint = Endpoint.ofPath("shm", path.toString());
            server.listen(endpoint, made -> new RecordingHandler());
            for (int i = 0; i < 40; i++) {
              RecordingHandler handler = new RecordingHandler();
              Connection connection =
                  clients
                      .connect(endpoint, handler)
                      .toCompletableFuture()
                      .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
              connection.close();
              handler.awaitClosed();
            }
          }
        });
  }

  private interface Body {
    void run(Path path) throws Exception;
  }

  private static void onTinyMemory(Body body) throws Exception {
    try (TinyMemory memory = TinyMemory.mount(TestFolder.existing())) {
      body.run(memory.path());
    }
  }
}
