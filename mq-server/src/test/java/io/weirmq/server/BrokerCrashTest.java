package io.weirmq.server;

import static io.weirmq.server.TestBroker.batch;
import static io.weirmq.server.TestBroker.fetch;
import static io.weirmq.server.TestBroker.fetchOne;
import static io.weirmq.server.TestBroker.produce;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.message.FetchResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Brokers in processes of their own that are killed or told to stop at bad moments. */
final class BrokerCrashTest {

  private static final int EXIT_BY_SIGTERM = 128 + 15;

  @TempDir private Path folder;

  @Test
  void losesNothingAcknowledgedWhenItIsKilled() throws Exception {
    List<String> acknowledged = new ArrayList<>();
    Process process = start();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        RawClient client = RawClient.connect(awaitPort(out))) {
      int port = client.port();
      TestBroker.createTopic(port, "t", 1, Map.of());
      for (int i = 0; i < 200; i++) {
        String value = "record " + i;
        assertThat(produce(client, "t", 0, batch(value)).errorCode()).isZero();
        acknowledged.add(value);
      }
    } finally {
      process.destroyForcibly().waitFor();
    }

    try (Broker broker = TestBroker.in(folder).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      FetchResponse.PartitionData data = fetchOne(client, fetch("t", 0, 0));
      List<String> found = TestBroker.values(data);
      assertThat(found).containsExactlyElementsOf(acknowledged);
      assertThat(data.highWatermark()).isEqualTo(200);
    }
  }

  @Test
  void op02_endsInGoodOrderWheneverItIsToldTo() throws Exception {
    Random random = new Random(2);
    for (int round = 0; round < 3; round++) {
      Process process = start();
      process.waitFor(random.nextInt(600), TimeUnit.MILLISECONDS);
      process.destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as("round %d", round).isEqualTo(EXIT_BY_SIGTERM);
    }
    TestBroker.in(folder).start().close();
  }

  private Process start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(BrokerProcess.class.getName());
    command.add("log.dirs=" + folder);
    command.add("listeners=PLAINTEXT://127.0.0.1:0");
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static int awaitPort(BufferedReader out) throws IOException {
    String line = out.readLine();
    while (line != null) {
      if (line.startsWith("serving ")) {
        return Integer.parseInt(line.substring("serving ".length()));
      }
      line = out.readLine();
    }
    throw new IOException("the broker ended before it served");
  }
}
