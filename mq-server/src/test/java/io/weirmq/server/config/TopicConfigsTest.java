package io.weirmq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.replication.metadata.MetadataChange.SetBrokerConfigs;
import io.weirmq.replication.metadata.MetadataChangeException;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.PartitionMetadata;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.config.ConfigEntry.Source;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.LogConfig;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicConfigsTest {

  private static final int SELF = 2;
  private static final String DAY = Long.toString(24L * 60 * 60 * 1000);

  private final MetadataImage empty = MetadataImage.empty("dGhpcyBpcyBhIGNsdXN0ZQ", SELF);

  @Test
  void theDefaultsAreTheOnesOfTheStorageEngine() throws ConfigException {
    assertThat(configs(Map.of()).logConfig(empty, topic(Map.of()))).isEqualTo(LogConfig.defaults());
  }

  @Test
  void everyTopicConfigurationOfKafkaIsKnown() throws IllegalAccessException {
    Set<String> names = new TreeSet<>();
    for (Field field : TopicConfig.class.getFields()) {
      boolean name = field.getName().endsWith("_CONFIG") && Modifier.isStatic(field.getModifiers());
      if (name && field.get(null) instanceof String text) {
        names.add(text);
      }
    }
    names.removeAll(
        Set.of(
            "message.downconversion.enable", "message.format.version", "internal.segment.bytes"));

    assertThat(names).isNotEmpty();
    assertThat(TopicKeys.all().keySet()).containsAll(names);
  }

  @Test
  void theTopicWinsOverTheBrokerAndTheRunningBrokerOverItsStart()
      throws ConfigException, MetadataChangeException {
    TopicConfigs configs = configs(Map.of("log.retention.ms", "4"));
    MetadataImage all = withBroker(empty, OptionalInt.empty(), "3");
    MetadataImage own = withBroker(all, OptionalInt.of(SELF), "2");
    MetadataImage other = withBroker(all, OptionalInt.of(SELF + 1), "9");

    assertThat(retention(configs, own, Map.of("retention.ms", "1"))).isEqualTo(1);
    assertThat(retention(configs, own, Map.of())).isEqualTo(2);
    assertThat(retention(configs, all, Map.of())).isEqualTo(3);
    assertThat(retention(configs, other, Map.of())).isEqualTo(3);
    assertThat(retention(configs, empty, Map.of())).isEqualTo(4);
    assertThat(retention(configs(Map.of()), empty, Map.of())).isEqualTo(7 * 86_400_000L);
  }

  @ParameterizedTest
  @CsvSource({
    "log.retention.hours, 24, 86400000",
    "log.retention.minutes, 2, 120000",
    "log.retention.hours, -1, -1",
    "log.retention.ms, -1, -1",
  })
  void retentionComesInSeveralUnits(String key, String value, long retentionMs)
      throws ConfigException {
    assertThat(retention(configs(Map.of(key, value)), empty, Map.of())).isEqualTo(retentionMs);
  }

  @Test
  void theFinestUnitWins() throws ConfigException {
    TopicConfigs configs =
        configs(Map.of("log.retention.hours", "1", "log.retention.minutes", "1"));

    assertThat(retention(configs, empty, Map.of())).isEqualTo(60_000);
  }

  @Test
  void everySettingReachesTheLog() throws ConfigException {
    TopicConfigs configs = configs(Map.of("producer.id.expiration.ms", "77"));
    Map<String, String> set =
        Map.ofEntries(
            Map.entry("segment.bytes", "1048576"),
            Map.entry("segment.ms", "11"),
            Map.entry("segment.jitter.ms", "1"),
            Map.entry("segment.index.bytes", "12"),
            Map.entry("index.interval.bytes", "13"),
            Map.entry("retention.bytes", "14"),
            Map.entry("max.message.bytes", "15"),
            Map.entry("compression.type", "zstd"),
            Map.entry("cleanup.policy", "compact, delete"),
            Map.entry("message.timestamp.type", "LogAppendTime"),
            Map.entry("message.timestamp.before.max.ms", "16"),
            Map.entry("message.timestamp.after.max.ms", "17"),
            Map.entry("flush.messages", "18"),
            Map.entry("flush.ms", "19"),
            Map.entry("file.delete.delay.ms", "20"),
            Map.entry("min.insync.replicas", "2"));

    LogConfig log = configs.logConfig(empty, topic(set));

    assertThat(log)
        .isEqualTo(
            new LogConfig.Builder()
                .segmentBytes(1048576)
                .segmentMs(11, 1)
                .index(12, 13)
                .retentionBytes(14)
                .maxMessageBytes(15)
                .compressionType(java.util.Optional.of(CompressionType.ZSTD))
                .cleanupPolicy(true, true)
                .logAppendTime(true)
                .timestampBounds(16, 17)
                .flush(18, 19)
                .fileDeleteDelayMs(20)
                .producerIdExpirationMs(77)
                .build());
    assertThat(configs.minInSyncReplicas(empty, topic(set))).isEqualTo(2);
    assertThat(
            configs.logConfig(empty, topic(Map.of("internal.segment.bytes", "200"))).segmentBytes())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "retention.ms|x|retention.ms: expected a whole number, -1 or more, found 'x'",
        "retention.ms|-2|-1 or more",
        "segment.bytes|1000|1048576 or more",
        "cleanup.policy||one or more of",
        "compression.type|brotli|one of uncompressed",
        "min.insync.replicas|0|1 or more",
        "min.cleanable.dirty.ratio|1.5|from 0 to 1",
        "remote.storage.enable|true|only false",
        "retention|1|Unknown topic config name: retention",
      })
  void wrongValuesAreNamed(String key, String value, String message) {
    assertThat(TopicConfigs.problemWithTopic(Map.of(key, value == null ? "" : value)))
        .hasValueSatisfying(problem -> assertThat(problem).contains(message));
  }

  @Test
  void compactionLagsMustRise() {
    assertThat(
            TopicConfigs.problemWithTopic(
                Map.of("min.compaction.lag.ms", "5", "max.compaction.lag.ms", "4")))
        .isPresent();
    assertThat(TopicConfigs.problemWithTopic(Map.of("min.compaction.lag.ms", "5"))).isEmpty();
  }

  @Test
  void aDescriptionListsEveryKeyWithAllPlacesThatGiveAValue()
      throws ConfigException, MetadataChangeException {
    TopicConfigs configs = configs(Map.of("log.retention.hours", "24"));
    MetadataImage image = withBroker(empty, OptionalInt.empty(), "3");

    List<ConfigEntry> entries = configs.describeTopic(image, Map.of("retention.ms", "1"));

    assertThat(entries)
        .extracting(entry -> entry.key().name())
        .containsExactlyElementsOf(TopicKeys.all().keySet());
    ConfigEntry retention = find(entries, "retention.ms");
    assertThat(retention.value()).contains("1");
    assertThat(retention.source()).isEqualTo(Source.TOPIC);
    assertThat(retention.synonyms())
        .extracting(s -> s.name() + "=" + s.value().orElse("") + " " + s.source())
        .containsExactly(
            "retention.ms=1 TOPIC",
            "log.retention.ms=3 DYNAMIC_DEFAULT_BROKER",
            "log.retention.hours=24 STATIC_BROKER",
            "log.retention.hours=168 DEFAULT");
    ConfigEntry inherited = find(configs.describeTopic(empty, Map.of()), "retention.ms");
    assertThat(inherited.value()).contains(DAY);
    assertThat(inherited.source()).isEqualTo(Source.STATIC_BROKER);
    assertThat(find(entries, "segment.bytes").source()).isEqualTo(Source.DEFAULT);
  }

  @Test
  void aBrokerIsDescribedWithWhatToolsLookFor() throws ConfigException {
    List<ConfigEntry> entries = configs(Map.of("num.partitions", "6")).describeBroker(empty);

    assertThat(find(entries, "inter.broker.protocol.version").value()).contains("4.3");
    assertThat(find(entries, "delete.topic.enable").value()).contains("true");
    assertThat(find(entries, "num.partitions").source()).isEqualTo(Source.STATIC_BROKER);
    assertThat(find(entries, "broker.rack").value()).isEmpty();
    assertThat(entries).hasSameSizeAs(BrokerKeys.all().keySet());
  }

  @Test
  void onlyWhatWasSetIsDescribedForAllBrokers() throws ConfigException, MetadataChangeException {
    MetadataImage image = withBroker(empty, OptionalInt.empty(), "3");

    assertThat(configs(Map.of()).describeBrokerDefaults(image))
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.key().name()).isEqualTo("log.retention.ms");
              assertThat(entry.value()).contains("3");
              assertThat(entry.source()).isEqualTo(Source.DYNAMIC_DEFAULT_BROKER);
            });
  }

  private static ConfigEntry find(List<ConfigEntry> entries, String name) {
    return entries.stream()
        .filter(entry -> entry.key().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static long retention(
      TopicConfigs configs, MetadataImage image, Map<String, String> set) {
    return configs.logConfig(image, topic(set)).retentionMs();
  }

  private static TopicConfigs configs(Map<String, String> values) throws ConfigException {
    return new TopicConfigs(SELF, new ConfigSources().overrides(values).check());
  }

  private static TopicMetadata topic(Map<String, String> configs) {
    return new TopicMetadata(
        "orders", new UUID(1, 1), List.of(PartitionMetadata.created(List.of(SELF))), configs);
  }

  private static MetadataImage withBroker(MetadataImage image, OptionalInt broker, String ms)
      throws MetadataChangeException {
    return image.with(new SetBrokerConfigs(broker, Map.of(), Map.of("log.retention.ms", ms)));
  }
}
