package io.weirmq.client.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which way a client takes, and what it says about it. */
@Timeout(120)
final class TransportChoiceTest {

  @TempDir private static Path folder;
  private static LocalBroker broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = LocalBroker.start(folder);
  }

  @AfterAll
  static void closeBroker() throws Exception {
    broker.close();
  }

  @Test
  void autoGoesToTcpWhereNobodyListensInSharedMemoryAndSaysSoOnce() throws Exception {
    Path nobody = folder.resolve("nobody");
    try (CapturedLog log = new CapturedLog();
        Admin admin =
            WeirClients.admin(broker.config("auto", Map.of("shm.folder", nobody.toString())))) {
      admin.createTopics(List.of(new NewTopic("fallback", 1, (short) 1))).all().get();
      assertThat(admin.listTopics().names().get()).contains("fallback");

      assertThat(log.lines(Level.INFO))
          .singleElement()
          .asString()
          .contains("127.0.0.1:" + broker.port())
          .contains("over TCP")
          .contains(nobody.toString());
      assertThat(log.lines(Level.WARN)).isEmpty();
    }
  }

  @Test
  void autoGoesToTcpWhereNothingIsPublishedAndSaysSoOnce() throws Exception {
    Map<String, Object> config = broker.config("auto");
    config.remove("shm.folder");
    try (CapturedLog log = new CapturedLog();
        Admin admin = WeirClients.admin(config)) {
      admin.createTopics(List.of(new NewTopic("unpublished", 1, (short) 1))).all().get();

      assertThat(log.lines(Level.INFO))
          .singleElement()
          .asString()
          .contains(broker.port() + ".endpoint");
    }
  }

  @Test
  void shmWithoutABrokerSaysWhyAndNeverUsesTcp() throws Exception {
    Path nobody = folder.resolve("nobody");
    Map<String, Object> config =
        broker.config(
            "shm",
            Map.of(
                "shm.folder", nobody.toString(),
                "default.api.timeout.ms", "1500",
                "request.timeout.ms", "1000"));
    try (CapturedLog log = new CapturedLog();
        Admin admin = WeirClients.admin(config)) {
      assertThatThrownBy(() -> admin.listTopics().names().get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(TimeoutException.class);

      assertThat(log.lines(Level.WARN))
          .as("the same reason is logged once")
          .singleElement()
          .asString()
          .contains("transport=shm")
          .contains(nobody.toString());
    }
  }

  @Test
  void shmRefusesBrokersElsewhere() throws Exception {
    Map<String, Object> config =
        broker.config(
            "shm",
            Map.of(
                // An address that is reserved for documentation: nobody has it.
                "bootstrap.servers", "192.0.2.1:9092",
                "default.api.timeout.ms", "1500",
                "request.timeout.ms", "1000"));
    config.remove("shm.folder");
    try (CapturedLog log = new CapturedLog();
        Admin admin = WeirClients.admin(config)) {
      assertThatThrownBy(() -> admin.listTopics().names().get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(TimeoutException.class);

      assertThat(log.lines(Level.WARN))
          .singleElement()
          .asString()
          .contains("192.0.2.1:9092 is not an address of this host");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "transport, udp, 'expected one of [auto, tcp, shm], found ''udp'''",
    "shm.folder, relative/path, expected an absolute path",
    "security.protocol, SASL_SSL, transport=shm needs PLAINTEXT",
    "shm.wait.strategy, lazy, 'expected one of [adaptive, yielding, busy-spin]'",
    "shm.ring.byte, 4096, shm.ring.byte is not known",
  })
  void refusesWhatCannotBe(String name, String value, String message) {
    Map<String, Object> config = broker.config("shm");
    config.put(name, value);

    assertThatThrownBy(() -> WeirClients.admin(config))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(name)
        .hasMessageContaining(message);
  }

  @Test
  void otherSecurityProtocolsStayWithTcp() {
    Map<String, Object> config = broker.config("auto", Map.of("security.protocol", "SASL_SSL"));

    assertThat(ClientSettings.parse(config).triesSharedMemory()).isFalse();
    config.put("security.protocol", "plaintext");
    assertThat(ClientSettings.parse(config).triesSharedMemory()).isTrue();
  }

  @Test
  void kafkaDoesNotSeeOurProperties() {
    Map<String, Object> config = broker.config("auto", Map.of("shm.wait.strategy", "yielding"));

    assertThat(ClientSettings.parse(config).kafkaConfigs())
        .containsOnlyKeys("bootstrap.servers", "enable.metrics.push");
    assertThat(ClientSettings.parse(config).transportProperties())
        .isEqualTo(Map.of("shm.wait.strategy", "yielding"));
  }
}
