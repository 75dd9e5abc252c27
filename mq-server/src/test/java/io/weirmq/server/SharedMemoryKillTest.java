package io.weirmq.server;

import static io.weirmq.server.TestBroker.batch;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that is killed and started again at once, in the same folder and at the same port. */
final class SharedMemoryKillTest {

  /** More of them with {@code -Dtest.jvm.args=-Dshm.broker.kills=20}. */
  private static final int KILLS = Integer.getInteger("shm.broker.kills", 4);

  @TempDir private Path folder;

  @Test
  void sm03_sm04_servesAgainAtOnceInTheFolderOfAKilledOne() throws Exception {
    LocalEndpoints places = LocalEndpoints.ofSystem();
    int port = FreePort.find();
    List<String> acknowledged = new ArrayList<>();
    try (Transport transport =
        TransportProviders.open("shm", TransportOptions.defaults().withIoThreads(1, "test-shm"))) {
      for (int round = 0; round < KILLS; round++) {
        Process process = start(port);
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
          awaitServing(out);
          if (round == 0) {
            TestBroker.createTopic(port, "t", 1, Map.of());
          }
          Endpoint endpoint = places.find("127.0.0.1", port).orElseThrow();
          assertThat(endpoint).isEqualTo(places.defaultEndpoint(port));
          try (LocalClient client = LocalClient.connect(transport, endpoint)) {
            assertThat(client.fetch("t", 0)).isEqualTo(acknowledged);
            String value = "round " + round;
            client.produce("t", batch(value));
            acknowledged.add(value);
            process.destroyForcibly().waitFor();
          }
        } finally {
          process.destroyForcibly().waitFor();
        }
      }
      assertThat(places.runtimeFolder().resolve(port + ".endpoint")).exists();

      try (Broker broker =
          TestBroker.in(folder).set("listeners", "PLAINTEXT://127.0.0.1:" + port).start()) {
        Endpoint endpoint = places.find("127.0.0.1", port).orElseThrow();
        try (LocalClient client = LocalClient.connect(transport, endpoint)) {
          assertThat(client.fetch("t", 0)).isEqualTo(acknowledged);
        }
        assertThat(names(Path.of(endpoint.host()))).containsExactly("lock", "socket");
        assertThat(broker.endpoints()).containsEntry("SHM", endpoint);
      }
    }
    assertThat(places.runtimeFolder().resolve(port + ".endpoint")).doesNotExist();
    assertThat(places.runtimeFolder().resolve("node-" + port)).doesNotExist();
  }

  private Process start(int port) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(BrokerProcess.class.getName());
    command.add("log.dirs=" + folder);
    command.add("listeners=PLAINTEXT://127.0.0.1:" + port);
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static void awaitServing(BufferedReader out) throws IOException {
    String line = out.readLine();
    while (line != null && !line.startsWith("serving ")) {
      line = out.readLine();
    }
    if (line == null) {
      throw new IOException("the broker ended before it served");
    }
  }

  private static List<String> names(Path path) throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
