package io.weirmq.server.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.AlterConfigsRequest;
import io.weirmq.protocol.message.DescribeConfigsRequest;
import io.weirmq.protocol.message.DescribeConfigsRequest.DescribeConfigsResource;
import io.weirmq.protocol.message.DescribeConfigsResponse.DescribeConfigsResourceResult;
import io.weirmq.protocol.message.DescribeConfigsResponse.DescribeConfigsResult;
import io.weirmq.protocol.message.IncrementalAlterConfigsRequest;
import io.weirmq.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import io.weirmq.protocol.message.IncrementalAlterConfigsRequest.AlterableConfig;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.server.config.BrokerKeys;
import io.weirmq.server.config.TopicKeys;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigHandlersTest {

  private static final int TOPIC = 2;
  private static final int BROKER = 4;
  private static final int SET = 0;
  private static final int DELETE = 1;
  private static final int APPEND = 2;
  private static final int SUBTRACT = 3;

  @TempDir Path folder;
  private AdminFixture fixture;

  @BeforeEach
  void open() {
    fixture = AdminFixture.open(folder, "log.retention.hours", "1");
    fixture.apply(new CreateTopic("a", new UUID(1, 1), List.of(List.of(1)), Map.of()));
  }

  @Test
  void singleConfigurationsAreSetAndTakenAway() {
    assertThat(change(TOPIC, "a", op("retention.ms", SET, "5"), op("segment.ms", SET, "6")))
        .isEqualTo(ErrorCode.NONE);
    assertThat(fixture.topic("a").configs())
        .isEqualTo(Map.of("retention.ms", "5", "segment.ms", "6"));

    assertThat(change(TOPIC, "a", op("retention.ms", DELETE, null))).isEqualTo(ErrorCode.NONE);
    assertThat(fixture.topic("a").configs()).isEqualTo(Map.of("segment.ms", "6"));
  }

  @Test
  void listsGrowAndShrinkFromTheValueThatHolds() {
    assertThat(change(TOPIC, "a", op("cleanup.policy", APPEND, "compact")))
        .isEqualTo(ErrorCode.NONE);
    assertThat(fixture.topic("a").configs()).isEqualTo(Map.of("cleanup.policy", "delete,compact"));

    change(TOPIC, "a", op("cleanup.policy", APPEND, "compact"));
    assertThat(fixture.topic("a").configs()).containsEntry("cleanup.policy", "delete,compact");

    change(TOPIC, "a", op("cleanup.policy", SUBTRACT, "delete"));
    assertThat(fixture.topic("a").configs()).containsEntry("cleanup.policy", "compact");

    assertThat(change(TOPIC, "a", op("cleanup.policy", SUBTRACT, "compact")))
        .as("nothing is left")
        .isEqualTo(ErrorCode.INVALID_CONFIG);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "2, x, retention.ms, 0, 5, UNKNOWN_TOPIC_OR_PARTITION",
        "2, a b, retention.ms, 0, 5, INVALID_TOPIC_EXCEPTION",
        "2, '', retention.ms, 0, 5, INVALID_REQUEST",
        "2, a, no.such.key, 0, 5, INVALID_CONFIG",
        "2, a, retention.ms, 0, x, INVALID_CONFIG",
        "2, a, retention.ms, 2, 5, INVALID_CONFIG",
        "2, a, retention.ms, 4, 5, INVALID_REQUEST",
        "2, a, retention.ms, 0, -, INVALID_REQUEST",
        "2, a, no.such.key, 1, -, NONE",
        "4, 1, log.retention.ms, 0, 5, NONE",
        "4, '', log.retention.ms, 0, 5, NONE",
        "4, 2, log.retention.ms, 0, 5, INVALID_REQUEST",
        "4, one, log.retention.ms, 0, 5, INVALID_REQUEST",
        "4, 1, log.retention.ms, 0, x, INVALID_REQUEST",
        "4, 1, num.network.threads, 0, 5, INVALID_REQUEST",
        "4, 1, no.such.key, 0, 5, INVALID_REQUEST",
        "8, 1, root, 0, DEBUG, INVALID_REQUEST",
        "16, m, interval.ms, 0, 5, INVALID_REQUEST",
        "32, g, consumer.session.timeout.ms, 0, 5, INVALID_REQUEST",
        "0, a, retention.ms, 0, 5, INVALID_REQUEST",
      })
  void changesAreCheckedAsKafkaDoes(
      int type,
      String name,
      String key,
      int operation,
      @Nullable String value,
      ErrorCode expected) {
    assertThat(change(type, name, op(key, operation, value))).isEqualTo(expected);
  }

  @Test
  void aKeyOrAResourceTwiceIsRefused() {
    assertThat(change(TOPIC, "a", op("retention.ms", SET, "5"), op("retention.ms", SET, "6")))
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    IncrementalAlterConfigsRequest twice =
        new IncrementalAlterConfigsRequest()
            .setResources(
                List.of(
                    resource(TOPIC, "a", op("retention.ms", SET, "5")),
                    resource(TOPIC, "a", op("segment.ms", SET, "5"))));
    assertThat(
            AdminFixture.join(
                    new IncrementalAlterConfigsHandler(fixture.alterations())
                        .handle(AdminFixture.version(1), twice))
                .responses())
        .allMatch(response -> response.errorCode() == ErrorCode.INVALID_REQUEST.code())
        .hasSize(2);
    assertThat(fixture.topic("a").configs()).isEmpty();
  }

  @Test
  void brokerConfigurationsHoldForTopicsThatSetNone() {
    change(BROKER, "", op("log.retention.ms", SET, "70"));
    change(BROKER, "1", op("log.retention.ms", SET, "60"));

    assertThat(fixture.image().brokerConfigs(OptionalInt.empty()))
        .isEqualTo(Map.of("log.retention.ms", "70"));
    assertThat(value(describe(4, TOPIC, "a", List.of("retention.ms")))).isEqualTo("60");
    change(BROKER, "1", op("log.retention.ms", DELETE, null));
    assertThat(value(describe(4, TOPIC, "a", List.of("retention.ms")))).isEqualTo("70");
  }

  @Test
  void theOldWayReplacesAll() {
    change(TOPIC, "a", op("retention.ms", SET, "5"), op("segment.ms", SET, "6"));

    assertThat(replace("a", false, "segment.ms", "7")).isEqualTo(ErrorCode.NONE);
    assertThat(fixture.topic("a").configs()).isEqualTo(Map.of("segment.ms", "7"));

    assertThat(replace("a", true, "segment.ms", "8")).isEqualTo(ErrorCode.NONE);
    assertThat(replace("a", true, "segment.ms", "x")).isEqualTo(ErrorCode.INVALID_CONFIG);
    assertThat(replace("a", false, "segment.ms", null)).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(replace("x", false, "segment.ms", "8"))
        .isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    assertThat(fixture.topic("a").configs()).isEqualTo(Map.of("segment.ms", "7"));
  }

  @Test
  void everyKeyIsDescribed() {
    change(TOPIC, "a", op("retention.ms", SET, "5"));

    DescribeConfigsResult topic = describe(4, TOPIC, "a", null);
    assertThat(topic.configs())
        .extracting(DescribeConfigsResourceResult::name)
        .containsExactlyElementsOf(TopicKeys.all().keySet());
    DescribeConfigsResourceResult retention = find(topic, "retention.ms");
    assertThat(retention.value()).isEqualTo("5");
    assertThat(retention.configSource()).isEqualTo((byte) 1);
    assertThat(retention.configType()).as("LONG").isEqualTo((byte) 5);
    assertThat(retention.documentation()).isNotBlank();
    assertThat(retention.readOnly()).isFalse();
    assertThat(retention.synonyms())
        .extracting(s -> s.name() + "=" + s.value() + " " + s.source())
        .containsExactly(
            "retention.ms=5 1", "log.retention.hours=1 4", "log.retention.hours=168 5");

    DescribeConfigsResult broker = describe(4, BROKER, "1", List.of());
    assertThat(broker.configs()).hasSameSizeAs(BrokerKeys.all().keySet());
    assertThat(find(broker, "num.network.threads").readOnly()).isTrue();
    assertThat(find(broker, "log.retention.ms").readOnly()).isFalse();
    assertThat(find(broker, "log.retention.hours").configSource()).isEqualTo((byte) 4);
    assertThat(find(broker, "inter.broker.protocol.version").value()).startsWith("4.");
  }

  @ParameterizedTest
  @CsvSource({
    "2, x, UNKNOWN_TOPIC_OR_PARTITION",
    "2, a b, INVALID_TOPIC_EXCEPTION",
    "4, '', NONE",
    "4, 7, INVALID_REQUEST",
    "4, x, INVALID_REQUEST",
    "8, 1, NONE",
    "8, '', INVALID_REQUEST",
    "16, m, INVALID_REQUEST",
    "32, g, NONE",
    "32, '', INVALID_REQUEST",
    "0, a, INVALID_REQUEST",
  })
  void resourcesAreCheckedAsKafkaDoes(int type, String name, ErrorCode expected) {
    DescribeConfigsResult result = describe(4, type, name, null);

    assertThat(ErrorCode.forCode(result.errorCode())).isEqualTo(expected);
    assertThat(result.configs()).isEmpty();
  }

  private ErrorCode change(int type, String name, AlterableConfig... operations) {
    IncrementalAlterConfigsRequest request =
        new IncrementalAlterConfigsRequest()
            .setResources(List.of(resource(type, name, operations)));
    return ErrorCode.forCode(
        AdminFixture.join(
                new IncrementalAlterConfigsHandler(fixture.alterations())
                    .handle(AdminFixture.version(1), request))
            .responses()
            .get(0)
            .errorCode());
  }

  private static AlterConfigsResource resource(int type, String name, AlterableConfig... configs) {
    return new AlterConfigsResource()
        .setResourceType((byte) type)
        .setResourceName(name)
        .setConfigs(List.of(configs));
  }

  private static AlterableConfig op(String key, int operation, @Nullable String value) {
    return new AlterableConfig().setName(key).setConfigOperation((byte) operation).setValue(value);
  }

  private ErrorCode replace(
      String topic, boolean validateOnly, String key, @Nullable String value) {
    AlterConfigsRequest request =
        new AlterConfigsRequest()
            .setValidateOnly(validateOnly)
            .setResources(
                List.of(
                    new AlterConfigsRequest.AlterConfigsResource()
                        .setResourceType((byte) TOPIC)
                        .setResourceName(topic)
                        .setConfigs(
                            List.of(
                                new AlterConfigsRequest.AlterableConfig()
                                    .setName(key)
                                    .setValue(value)))));
    return ErrorCode.forCode(
        AdminFixture.join(
                new AlterConfigsHandler(fixture.alterations())
                    .handle(AdminFixture.version(2), request))
            .responses()
            .get(0)
            .errorCode());
  }

  private DescribeConfigsResult describe(
      int version, int type, String name, @Nullable List<String> keys) {
    DescribeConfigsRequest request =
        new DescribeConfigsRequest()
            .setIncludeSynonyms(true)
            .setIncludeDocumentation(true)
            .setResources(
                List.of(
                    new DescribeConfigsResource()
                        .setResourceType((byte) type)
                        .setResourceName(name)
                        .setConfigurationKeys(keys)));
    return AdminFixture.join(
            new DescribeConfigsHandler(
                    fixture.store, fixture.config.topicConfigs(), fixture.alterations())
                .handle(AdminFixture.version(version), request))
        .results()
        .get(0);
  }

  private static @Nullable String value(DescribeConfigsResult result) {
    assertThat(result.configs()).hasSize(1);
    return result.configs().get(0).value();
  }

  private static DescribeConfigsResourceResult find(DescribeConfigsResult result, String name) {
    return result.configs().stream()
        .filter(config -> config.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
