package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Brokers in mount namespaces of their own, as containers have, that share a runtime folder. */
@Timeout(120)
final class SharedRuntimeFolderTest {

  @TempDir private Path folder;

  /** Where the published offsets of topic t are. */
  private record Published(Path path, long inode) {}

  @Test
  void brokersOfOneDataPathKeepTheirFilesOfPublishedOffsetsApart() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    LocalEndpoints places = LocalEndpoints.in(folder.resolve("run").resolve("weirmq"));
    Files.createDirectory(folder.resolve("run"));
    assumeTrue(
        new ProcessBuilder("unshare", "-m", "true").start().waitFor() == 0,
        "only an administrator can make mount namespaces");
    int firstPort = FreePort.find();
    Process first = start("volume-1", data, firstPort);
    try (Transport transport =
        TransportProviders.open("shm", TransportOptions.defaults().withIoThreads(1, "test-shm"))) {
      Published ofFirst = read(transport, places, firstPort);
      int secondPort = FreePort.find();
      Process second = start("volume-2", data, secondPort);
      try {
        Published ofSecond = read(transport, places, secondPort);
        assertThat(ofSecond.path()).isNotEqualTo(ofFirst.path());
        assertThat(read(transport, places, firstPort)).isEqualTo(ofFirst);

        second.destroy();
        second.waitFor();
        assertThat(ofSecond.path()).doesNotExist();
        assertThat(Files.getAttribute(ofFirst.path(), "unix:ino")).isEqualTo(ofFirst.inode());
        assertThat(read(transport, places, firstPort)).isEqualTo(ofFirst);
      } finally {
        second.destroyForcibly().waitFor();
      }
    } finally {
      first.destroyForcibly().waitFor();
    }
  }

  /** Starts a broker for which the data path leads to a folder that only it sees there. */
  private Process start(String volume, Path data, int port) throws IOException {
    List<String> command = new ArrayList<>(List.of("unshare", "-m", "sh", "-c"));
    command.add("mount --bind \"$1\" \"$2\" && shift 2 && exec \"$@\"");
    command.add("sh");
    command.add(Files.createDirectory(folder.resolve(volume)).toString());
    command.add(data.toString());
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(BrokerProcess.class.getName());
    command.add("log.dirs=" + data);
    command.add("listeners=PLAINTEXT://127.0.0.1:" + port);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("XDG_RUNTIME_DIR", folder.resolve("run").toString());
    Process process = builder.start();
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("serving ")) {
        TestBroker.createTopic(port, "t", 1, Map.of());
        return process;
      }
    }
    throw new IOException("the broker ended before it served");
  }

  private static Published read(Transport transport, LocalEndpoints places, int port)
      throws Exception {
    try (LocalClient client =
        LocalClient.connect(transport, places.find("127.0.0.1", port).orElseThrow())) {
      return client.ask(
          ApiKey.DIRECT_READ,
          0,
          new DirectReadRequest().setTopic("t").setMaxBytes(1_000),
          DirectReadResponse.class,
          response -> new Published(Path.of(response.offsetsPath()), response.offsetsInode()));
    }
  }
}
