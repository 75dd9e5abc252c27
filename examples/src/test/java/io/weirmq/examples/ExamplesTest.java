package io.weirmq.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.server.Broker;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.StoredRecord;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples as a user would. */
class ExamplesTest {

  @TempDir private Path folder;

  @Test
  void theEmbeddedBrokerMakesATopicWithTheConfiguredPartitions() throws Exception {
    assertThat(EmbeddedBrokerExample.describe(folder))
        .isEqualTo("topic greetings has the partitions [0, 1, 2]");
  }

  @Test
  void theIpcClientsExchangePrices() throws Exception {
    try (Broker broker =
        Broker.builder()
            .set("listeners", "PLAINTEXT://127.0.0.1:0")
            .set("log.dirs", folder.toString())
            .start()) {
      assertThat(IpcExample.exchange(broker.boundPort()))
          .hasSize(5)
          .startsWith("offset 0: instrument 0 costs 100.0", "offset 1: instrument 1 costs 100.25");
    }
  }

  @Test
  void theTinyServiceAppendsReadsAndKeepsItsLogOverARestart() throws Exception {
    try (TinyLogService service = new TinyLogService(folder);
        Socket socket = new Socket("127.0.0.1", service.endpoint().port())) {
      assertThat(append(socket, "one")).isZero();
      assertThat(append(socket, "two")).isEqualTo(1);
    }

    try (TinyLogService service = new TinyLogService(folder);
        Socket socket = new Socket("127.0.0.1", service.endpoint().port())) {
      assertThat(append(socket, "three")).isEqualTo(2);
      assertThat(read(socket, 1)).containsExactly("two", "three");
    }
  }

  @Test
  void theStorageAloneAppendsFindsFollowsAndForgets() throws Exception {
    long now = System.currentTimeMillis();
    try (StorageOnlyExample events = new StorageOnlyExample(folder, 8192)) {
      assertThat(events.append(now, utf8("first"))).isZero();
      assertThat(events.append(now + 1_000, utf8("second"))).isEqualTo(1);

      assertThat(texts(events.read(1))).containsExactly("second");
      assertThat(events.find(now + 1))
          .hasValueSatisfying(found -> assertThat(found.offset()).isEqualTo(1));

      CompletableFuture<List<StoredRecord>> tail =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return events.read(2);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThat(events.append(now + 2_000, utf8("third"))).isEqualTo(2);
      assertThat(texts(tail.get())).containsExactly("third");

      for (int i = 0; i < 100; i++) {
        events.append(now + 3_000, ByteBuffer.allocate(500));
      }
      // A batch has 61 bytes of header and about 510 of record: seven fit into a segment of 4,096.
      assertThat(events.retain()).isBetween(80L, 95L);
    }
    try (StorageOnlyExample events = new StorageOnlyExample(folder, 8192)) {
      assertThat(events.append(now + 4_000, utf8("after a restart"))).isEqualTo(103);
    }
  }

  @Test
  void twoProcessesTalkOverSharedMemoryWithoutABroker() throws Exception {
    Endpoint endpoint = Endpoint.ofPath("shm", folder.resolve("counters").toString());
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                SharedMemoryExample.class.getName(),
                "serve",
                endpoint.toString())
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(new Scanner(server.getInputStream(), StandardCharsets.UTF_8).nextLine())
          .isEqualTo("serving " + endpoint + " by ShmTransport");

      assertThat(SharedMemoryExample.add(endpoint, "visits", 2)).isEqualTo(2);
      assertThat(SharedMemoryExample.add(endpoint, "sales", 1)).isEqualTo(1);
      assertThat(SharedMemoryExample.add(endpoint, "visits", 3)).isEqualTo(5);
    } finally {
      server.destroyForcibly().waitFor();
    }

    // Killed, it has left its files; a new one starts there at once.
    try (Transport next = SharedMemoryExample.serve(endpoint)) {
      assertThat(SharedMemoryExample.add(endpoint, "visits", 1)).isEqualTo(1);
      assertThat(next).isNotNull();
    }
  }

  @Test
  void theSameCountersAreServedOverTcp() throws Exception {
    Endpoint endpoint = Endpoint.tcp("127.0.0.1", freePort());
    try (Transport transport = SharedMemoryExample.serve(endpoint)) {
      assertThat(SharedMemoryExample.add(endpoint, "visits", 7)).isEqualTo(7);
      assertThat(transport).isNotNull();
    }
  }

  @Test
  void kafkasClientsReachTheBrokerWithEachTransport() throws Exception {
    try (Broker broker =
        Broker.builder()
            .set("listeners", "PLAINTEXT://127.0.0.1:0")
            .set("log.dirs", folder.toString())
            .start()) {
      for (String transport : List.of("shm", "auto", "tcp")) {
        assertThat(SharedMemoryKafkaExample.sendAndRead(broker.bootstrapServers(), transport))
            .as("with transport=%s", transport)
            .containsExactly("hello", "shared", "memory");
      }
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  private static ByteBuffer utf8(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }

  private static List<String> texts(List<StoredRecord> records) {
    return records.stream()
        .map(r -> StandardCharsets.UTF_8.decode(Objects.requireNonNull(r.value())).toString())
        .toList();
  }

  private static long append(Socket socket, String value) throws Exception {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(1 + bytes.length);
    out.writeByte('A');
    out.write(bytes);
    out.flush();
    DataInputStream in = new DataInputStream(socket.getInputStream());
    assertThat(in.readInt()).isEqualTo(Long.BYTES);
    return in.readLong();
  }

  private static List<String> read(Socket socket, long offset) throws Exception {
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(1 + Long.BYTES);
    out.writeByte('R');
    out.writeLong(offset);
    out.flush();
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] batches = in.readNBytes(in.readInt());
    return StoredRecord.readAll(ByteBuffer.wrap(batches), new Decompressor()).stream()
        .map(record -> StandardCharsets.UTF_8.decode(record.value()).toString())
        .toList();
  }
}
