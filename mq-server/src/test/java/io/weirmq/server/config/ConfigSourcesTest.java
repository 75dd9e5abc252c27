package io.weirmq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigSourcesTest {

  @Test
  void laterSourcesOverrideEarlierOnes() throws ConfigException {
    ConfigSources sources =
        new ConfigSources()
            .override("num.partitions=4")
            .override("num.partitions=5")
            .environment(Map.of("WEIRMQ_NUM_PARTITIONS", "3", "WEIRMQ_BROKER_RACK", "b"))
            .properties("num.partitions=2\nbroker.rack=a\nnode.id=9\n", "server.properties");

    ConfigValues values = sources.check();

    assertThat(values.intValue(TopicDefaultKeys.NUM_PARTITIONS)).isEqualTo(5);
    assertThat(values.origin(TopicDefaultKeys.NUM_PARTITIONS)).hasToString("--set num.partitions");
    assertThat(values.text(NodeKeys.RACK)).contains("b");
    assertThat(values.origin(NodeKeys.RACK)).hasToString("environment WEIRMQ_BROKER_RACK");
    assertThat(values.intValue(NodeKeys.NODE_ID)).isEqualTo(9);
    assertThat(values.origin(NodeKeys.NODE_ID)).hasToString("server.properties:3");
    assertThat(values.origin(StorageKeys.RING_SIZE)).isEqualTo(ConfigOrigin.DEFAULT);
    assertThat(values.givenNames()).containsExactly("broker.rack", "node.id", "num.partitions");
  }

  @Test
  void propertiesAreReadAsJavaReadsThem() throws ConfigException {
    String text =
        """
        # a comment that ends with a backslash \\
        ! another
          node.id : 7

        listeners=PLAINTEXT://127.0.0.1:1, \\
            OTHER://127.0.0.1:2
        broker.rack\\ = r\\u00e9
        log.dirs = /a,/b
        """;

    assertThat(PropertyLines.parse(text))
        .containsExactly(
            new PropertyLines.Line(3, "node.id", "7"),
            new PropertyLines.Line(5, "listeners", "PLAINTEXT://127.0.0.1:1, OTHER://127.0.0.1:2"),
            new PropertyLines.Line(7, "broker.rack ", "r\u00e9"),
            new PropertyLines.Line(8, "log.dirs", "/a,/b"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "num.partition=3|num.partition=3|--set num.partition|unknown key; did you mean num.partitions?",
        "no.such.thing.at.all=1|no.such.thing.at.all=1|--set|unknown key; docs/configuration.md",
        "num.partitions=many|num.partitions|expected a whole number, from 1 to 10000|found 'many'",
        "num.partitions=0|num.partitions|expected a whole number, from 1 to 10000|found '0'",
        "delete.topic.enable=yes|delete.topic.enable|expected true or false|found 'yes'",
        "log.cleanup.policy=shred|log.cleanup.policy|one or more of compact, delete|found 'shred'",
        "log.segment.bytes=1024|log.segment.bytes|1048576 or more|found '1024'",
        "weirmq.append.ring.size=1000|weirmq.append.ring.size|a power of two|found '1000'",
        "process.roles=broker|process.roles|Kafka has this key|no KRaft quorum",
        "controller.quorum.voters=1@a:1|controller.quorum.voters|Kafka has this key|no KRaft quorum",
        "zookeeper.connect=a:1|zookeeper.connect|Kafka has this key|ZooKeeper",
        "ssl.keystore.location=/k|ssl.keystore.location|Kafka has this key|TLS",
        "num.partitions|--set 'num.partitions'|expected|key=value",
      })
  void whatIsWrongIsNamed(String assignment, String first, String second, String third) {
    assertThatThrownBy(() -> new ConfigSources().override(assignment).check())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(first)
        .hasMessageContaining(second)
        .hasMessageContaining(third);
  }

  @Test
  void passwordsOfRefusedKeysAreNotShown() {
    assertThatThrownBy(() -> new ConfigSources().override("ssl.keystore.password=secret").check())
        .hasMessageContaining("ssl.keystore.password")
        .hasMessageNotContaining("secret");
  }

  @Test
  void allProblemsAreToldAtOnce() {
    ConfigSources sources =
        new ConfigSources()
            .properties("a.b=1\nnum.partitions=x\n", "f.properties")
            .environment(Map.of("WEIRMQ_NUM_PARTITONS", "2", "PATH", "/bin", "WEIRMQ_HOME", "/w"));

    assertThatThrownBy(sources::check)
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .satisfiesExactly(
                        one -> assertThat(one).contains("a.b=1 (f.properties:1)"),
                        one -> assertThat(one).contains("num.partitions", "(f.properties:2)"),
                        one ->
                            assertThat(one)
                                .contains(
                                    "environment WEIRMQ_NUM_PARTITONS",
                                    "did you mean num.partitions?")))
        .hasMessageStartingWith("3 problems:");
  }

  @Test
  void keysWithoutEffectAreTaken() throws ConfigException {
    ConfigValues values = new ConfigSources().override("num.io.threads=4").check();

    assertThat(values.givenNames()).containsExactly("num.io.threads");
  }

  @Test
  void noTwoKeysHaveTheSameVariable() {
    List<String> variables =
        BrokerKeys.all().keySet().stream().map(ConfigSources::variableOf).toList();

    assertThat(variables).doesNotHaveDuplicates();
    assertThat(ConfigSources.variableOf("weirmq.append.ring.size"))
        .isEqualTo("WEIRMQ_APPEND_RING_SIZE");
  }

  @Test
  void wordsAreNearByTheLettersThatDiffer() {
    assertThat(EditDistance.between("kitten", "sitting")).isEqualTo(3);
    assertThat(EditDistance.between("", "abc")).isEqualTo(3);
    assertThat(EditDistance.between("same", "same")).isZero();
  }
}
