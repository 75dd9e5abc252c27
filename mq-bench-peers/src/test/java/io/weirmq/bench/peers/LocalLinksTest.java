package io.weirmq.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Link;
import io.weirmq.bench.peers.kafka.KafkaLink;
import io.weirmq.bench.peers.transport.SpiLink;
import io.weirmq.bench.peers.weirmq.IpcLink;
import io.weirmq.server.Broker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links over our own ways move all messages, in order. */
@Timeout(120)
class LocalLinksTest {

  private static final int MESSAGES = 1_000;
  private static final int MESSAGE_BYTES = 100;

  @TempDir Path data;
  private Path memory;

  @BeforeEach
  void makeFolder() throws IOException {
    // The path of a socket is short, and that of a test's folder may not be.
    memory = Files.createTempDirectory(Path.of("/dev/shm"), "weirmq-test");
  }

  @AfterEach
  void removeFolder() throws IOException {
    try (var files = Files.walk(memory)) {
      for (Path file : files.sorted(Collections.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void ipcClients() throws Exception {
    assertThat(throughBroker(IpcLink::new, Map.of("waiting", "default"), true))
        .isEqualTo(expected());
  }

  @Test
  void kafkaClientsInSharedMemory() throws Exception {
    assertThat(throughBroker(KafkaLink::new, Map.of("lingerMs", "0", "batchBytes", "16384"), true))
        .isEqualTo(expected());
  }

  @Test
  void kafkaClientsOverTcpOfTheSameBroker() throws Exception {
    assertThat(throughBroker(KafkaLink::new, Map.of("lingerMs", "5", "batchBytes", "16384"), false))
        .isEqualTo(expected());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 64})
  void framesInSharedMemory(int batch) throws Exception {
    assertThat(frames("shm:" + memory.resolve("ipc"), batch)).isEqualTo(expected());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 64})
  void framesOverTcp(int batch) throws Exception {
    assertThat(frames("tcp://127.0.0.1:0", batch)).isEqualTo(expected());
  }

  /** The constructor of a link. */
  private interface Opener {
    Link open(Settings settings, Link.Side side, Link.Receiver receiver) throws Exception;
  }

  private static List<Long> expected() {
    return LongStream.range(0, MESSAGES).boxed().toList();
  }

  private List<Long> throughBroker(Opener opener, Map<String, String> more, boolean inMemory)
      throws Exception {
    String shmFolder = memory.resolve("broker").toString();
    try (Broker broker =
        Broker.builder()
            .set("listeners", "PLAINTEXT://127.0.0.1:0,SHM://" + shmFolder)
            .set("log.dirs", data.toString())
            .start()) {
      Map<String, String> settings = new HashMap<>();
      settings.put("bootstrap", "127.0.0.1:" + broker.boundPort());
      settings.putAll(more);
      if (inMemory) {
        settings.put("shmFolder", shmFolder);
      }
      List<Long> received = new ArrayList<>();
      Link receiver =
          opener.open(
              Settings.of(settings),
              Link.Side.RECEIVER,
              (buffer, offset, length) -> received.add(sequence(buffer, offset, length)));
      Link sender = opener.open(Settings.of(settings), Link.Side.SENDER, (b, o, l) -> {});
      try {
        send(sender);
        while (received.size() < MESSAGES) {
          receiver.idle(receiver.poll(true));
        }
      } finally {
        sender.close();
        receiver.close();
      }
      return received;
    }
  }

  private static List<Long> frames(String endpoint, int batch) throws Exception {
    Map<String, String> settings =
        new HashMap<>(
            Map.of(
                "endpoint",
                endpoint,
                "idler",
                "YIELD",
                "batch",
                Integer.toString(batch),
                "messageBytes",
                Integer.toString(MESSAGE_BYTES)));
    List<Long> received = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch all = new CountDownLatch(MESSAGES);
    Link receiver =
        new SpiLink(
            Settings.of(settings),
            Link.Side.RECEIVER,
            (buffer, offset, length) -> {
              received.add(sequence(buffer, offset, length));
              all.countDown();
            });
    settings.putAll(receiver.facts());
    Link sender = new SpiLink(Settings.of(settings), Link.Side.SENDER, (b, o, l) -> {});
    try {
      send(sender);
      all.await();
    } finally {
      sender.close();
      receiver.close();
    }
    return received;
  }

  private static void send(Link sender) {
    ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_BYTES);
    for (long i = 0; i < MESSAGES; i++) {
      message.putLong(0, i);
      message.putLong(MESSAGE_BYTES - Long.BYTES, ~i);
      while (!sender.offer(message)) {
        sender.flush();
        sender.idle(0);
      }
    }
    sender.flush();
  }

  private static long sequence(ByteBuffer buffer, int offset, int length) {
    assertThat(length).isEqualTo(MESSAGE_BYTES);
    long sequence = buffer.getLong(offset);
    assertThat(buffer.getLong(offset + MESSAGE_BYTES - Long.BYTES)).isEqualTo(~sequence);
    return sequence;
  }
}
