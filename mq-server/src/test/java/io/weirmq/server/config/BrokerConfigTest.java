package io.weirmq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BrokerConfigTest {

  @Test
  void theDefaultsAreKafkas() throws ConfigException {
    BrokerConfig config = BrokerConfig.of(Map.of());

    assertThat(config.brokerId()).isZero();
    assertThat(config.rack()).isNull();
    assertThat(config.listeners().listeners().get(0).bindPort()).isEqualTo(9092);
    assertThat(config.listeners().interBrokerListener()).isEqualTo("PLAINTEXT");
    assertThat(config.network().requestBytesMax()).isEqualTo(100 * 1024 * 1024);
    assertThat(config.network().idleTimeout()).isEqualTo(Duration.ofMinutes(10));
    assertThat(config.fetch()).isEqualTo(new FetchSettings(55 * 1024 * 1024, 1000));
    assertThat(config.topics()).isEqualTo(new TopicSettings(true, true, 1, 1, 10_000));
    assertThat(config.groups().minSessionTimeoutMs()).isEqualTo(6_000);
    assertThat(config.groups().maxSessionTimeoutMs()).isEqualTo(1_800_000);
    assertThat(config.groups().initialRebalanceDelayMs()).isEqualTo(3_000);
    assertThat(config.groups().retention()).isEqualTo(Duration.ofDays(7));
    assertThat(config.groups().topicPartitionCount()).isEqualTo(50);
    assertThat(config.groups().topicSegmentBytes()).isEqualTo(100 * 1024 * 1024);
    assertThat(config.pipelines().waitStrategy()).isEqualTo(PipelineSettings.WaitStrategy.BLOCKING);
    assertThat(config.listeners().local())
        .containsExactly(new ListenerSettings.LocalListenerSetting("SHM", Optional.empty(), false));
    assertThat(config.sharedMemory())
        .isEqualTo(
            new SharedMemorySettings(
                1,
                1000,
                Map.of(
                    "shm.ring.bytes.min", "65536",
                    "shm.ring.bytes.max", "67108864",
                    "shm.wait.strategy", "adaptive")));
  }

  @Test
  void valuesReachTheirComponents() throws ConfigException {
    BrokerConfig config =
        BrokerConfig.of(
            Map.of(
                "broker.id", "7",
                "broker.rack", "r1",
                "log.dirs", "/a, /b,/a",
                "log.dir", "/c",
                "connections.max.idle.ms", "-1",
                "weirmq.append.wait.strategy", "busy-spin",
                "replica.high.watermark.checkpoint.interval.ms", "70"));

    assertThat(config.brokerId()).isEqualTo(7);
    assertThat(config.rack()).isEqualTo("r1");
    assertThat(config.storage().directories()).containsExactly(Path.of("/a"), Path.of("/b"));
    assertThat(config.storage().checkpointInterval()).isEqualTo(Duration.ofMillis(70));
    assertThat(config.network().idleTimeout()).isZero();
    assertThat(config.pipelines().waitStrategy())
        .isEqualTo(PipelineSettings.WaitStrategy.BUSY_SPIN);
  }

  @Test
  void sharedMemoryIsNamedOrLeftOut() throws ConfigException {
    String twoFolders = "PLAINTEXT://:0,SHM:///run/a b:c,LOCAL://";
    BrokerConfig named =
        BrokerConfig.of(
            Map.of(
                "listeners", twoFolders,
                "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,SHM:SHM,LOCAL:SHM",
                "shm.listener.enable", "false",
                "max.connections", "7"));
    BrokerConfig without = BrokerConfig.of(Map.of("shm.listener.enable", "false"));

    assertThat(named.listeners().listeners()).hasSize(1);
    assertThat(named.listeners().local())
        .containsExactly(
            new ListenerSettings.LocalListenerSetting("SHM", Optional.of("/run/a b:c"), true),
            new ListenerSettings.LocalListenerSetting("LOCAL", Optional.empty(), true));
    assertThat(named.sharedMemory().connectionsMax()).isEqualTo(7);
    assertThat(without.listeners().local()).isEmpty();
  }

  @Test
  void sharedMemoryCanNotStandForAPort() {
    assertThatThrownBy(
            () ->
                BrokerConfig.of(
                    Map.of(
                        "listeners", "PLAINTEXT://:0,SHM://",
                        "inter.broker.listener.name", "SHM",
                        "shm.ring.bytes.min", "65536",
                        "shm.ring.bytes.max", "4096")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("SHM is shared memory; brokers of other hosts need a port")
        .hasMessageContaining("shm.ring.bytes.min=65536 is above shm.ring.bytes.max=4096");
  }

  @Test
  void contradictionsStopTheStart() {
    assertThatThrownBy(
            () ->
                BrokerConfig.of(
                    Map.of(
                        "node.id", "1",
                        "broker.id", "2",
                        "group.min.session.timeout.ms", "9",
                        "group.max.session.timeout.ms", "8")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("node.id=1 (program) and broker.id=2 (program) differ")
        .hasMessageContaining("group.min.session.timeout.ms=9 is above");
  }
}
