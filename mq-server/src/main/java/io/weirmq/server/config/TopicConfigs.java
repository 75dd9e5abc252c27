package io.weirmq.server.config;

import io.weirmq.replication.PartitionConfigs;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.config.ConfigEntry.Source;
import io.weirmq.storage.CompactionConfig;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.LogConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Works out configurations: what was set for a topic, over what was set for this broker while it
 * runs, over what was set for all brokers, over what it was started with, over the defaults.
 * Immutable.
 */
public final class TopicConfigs implements PartitionConfigs {

  private final int brokerId;
  private final ConfigValues values;

  /**
   * Makes the configurations of a broker.
   *
   * @param brokerId id of this broker
   * @param values what it was started with
   */
  public TopicConfigs(int brokerId, ConfigValues values) {
    this.brokerId = brokerId;
    this.values = values;
  }

  /** Returns the value of a topic configuration; the table's default where nobody set it. */
  public String value(MetadataImage image, Map<String, String> topicConfigs, TopicKey key) {
    String set = topicConfigs.get(key.name());
    if (set != null) {
      return set;
    }
    for (BrokerLevel level : levels(image)) {
      for (TopicKey.Synonym synonym : key.synonyms()) {
        Optional<String> text = level.text(synonym.key());
        if (text.isPresent()) {
          return synonym.convert(text.get());
        }
      }
    }
    return key.key().defaultText().orElse("");
  }

  /** Returns every topic configuration as it holds for a topic with these overrides. */
  public List<ConfigEntry> describeTopic(MetadataImage image, Map<String, String> topicConfigs) {
    return TopicKeys.all().values().stream()
        .map(key -> describe(image, topicConfigs, key))
        .toList();
  }

  /** Returns every broker configuration as it holds for this broker. */
  public List<ConfigEntry> describeBroker(MetadataImage image) {
    return BrokerKeys.all().values().stream()
        .filter(key -> !key.internal())
        .map(key -> describeBrokerKey(image, key))
        .toList();
  }

  /** Returns the dynamic configurations that hold for all brokers. */
  public List<ConfigEntry> describeBrokerDefaults(MetadataImage image) {
    return image.brokerConfigs(OptionalInt.empty()).entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .flatMap(set -> BrokerKeys.find(set.getKey()).map(key -> ofAllBrokers(key, set)).stream())
        .toList();
  }

  private static ConfigEntry ofAllBrokers(ConfigKey key, Map.Entry<String, String> set) {
    Optional<String> value = shown(key, set.getValue());
    Source source = Source.DYNAMIC_DEFAULT_BROKER;
    return new ConfigEntry(
        key, value, source, List.of(new ConfigEntry.Synonym(key.name(), value, source)));
  }

  /** Returns what is wrong with configurations of a topic; empty where nothing is. */
  public static Optional<String> problemWithTopic(Map<String, String> topicConfigs) {
    for (Map.Entry<String, String> entry : topicConfigs.entrySet()) {
      Optional<TopicKey> key = TopicKeys.find(entry.getKey());
      if (key.isEmpty()) {
        return Optional.of("Unknown topic config name: " + entry.getKey());
      }
      Optional<String> problem = key.get().key().problemWith(entry.getValue());
      if (problem.isPresent()) {
        return problem;
      }
    }
    return problemWithLags(topicConfigs);
  }

  private static Optional<String> problemWithLags(Map<String, String> topicConfigs) {
    String min = topicConfigs.get(TopicKeys.MIN_COMPACTION_LAG_MS.name());
    String max = topicConfigs.get(TopicKeys.MAX_COMPACTION_LAG_MS.name());
    if (min != null && max != null && Long.parseLong(min.trim()) > Long.parseLong(max.trim())) {
      return Optional.of(
          "min.compaction.lag.ms %s is above max.compaction.lag.ms %s".formatted(min, max));
    }
    return Optional.empty();
  }

  @Override
  public int minInSyncReplicas(MetadataImage image, TopicMetadata topic) {
    return intValue(image, topic, TopicKeys.MIN_INSYNC_REPLICAS);
  }

  @Override
  public LogConfig logConfig(MetadataImage image, TopicMetadata topic) {
    List<String> policy =
        ConfigType.parseList(value(image, topic.configs(), TopicKeys.CLEANUP_POLICY));
    return new LogConfig.Builder()
        .segmentBytes(segmentBytes(image, topic))
        .segmentMs(
            longValue(image, topic, TopicKeys.SEGMENT_MS),
            longValue(image, topic, TopicKeys.SEGMENT_JITTER_MS))
        .index(
            intValue(image, topic, TopicKeys.SEGMENT_INDEX_BYTES),
            intValue(image, topic, TopicKeys.INDEX_INTERVAL_BYTES))
        .retentionMs(longValue(image, topic, TopicKeys.RETENTION_MS))
        .retentionBytes(longValue(image, topic, TopicKeys.RETENTION_BYTES))
        .maxMessageBytes(intValue(image, topic, TopicKeys.MAX_MESSAGE_BYTES))
        .compressionType(codec(value(image, topic.configs(), TopicKeys.COMPRESSION_TYPE)))
        .cleanupPolicy(policy.contains("compact"), policy.contains("delete"))
        .compaction(compaction(image, topic))
        .logAppendTime(
            value(image, topic.configs(), TopicKeys.TIMESTAMP_TYPE).equals("LogAppendTime"))
        .timestampBounds(
            longValue(image, topic, TopicKeys.TIMESTAMP_BEFORE_MAX_MS),
            longValue(image, topic, TopicKeys.TIMESTAMP_AFTER_MAX_MS))
        .flush(
            longValue(image, topic, TopicKeys.FLUSH_MESSAGES),
            longValue(image, topic, TopicKeys.FLUSH_MS))
        .fileDeleteDelayMs(longValue(image, topic, TopicKeys.FILE_DELETE_DELAY_MS))
        .producerIdExpirationMs(values.longValue(StorageKeys.PRODUCER_EXPIRATION_MS))
        .build();
  }

  private CompactionConfig compaction(MetadataImage image, TopicMetadata topic) {
    return new CompactionConfig(
        longValue(image, topic, TopicKeys.DELETE_RETENTION_MS),
        Double.parseDouble(value(image, topic.configs(), TopicKeys.MIN_CLEANABLE_RATIO).trim()),
        longValue(image, topic, TopicKeys.MIN_COMPACTION_LAG_MS),
        longValue(image, topic, TopicKeys.MAX_COMPACTION_LAG_MS));
  }

  private int segmentBytes(MetadataImage image, TopicMetadata topic) {
    String internal = topic.configs().get(TopicKeys.INTERNAL_SEGMENT_BYTES.name());
    return internal != null
        ? Integer.parseInt(internal.trim())
        : intValue(image, topic, TopicKeys.SEGMENT_BYTES);
  }

  private static Optional<CompressionType> codec(String name) {
    if (name.equals("producer")) {
      return Optional.empty();
    }
    if (name.equals("uncompressed")) {
      return Optional.of(CompressionType.NONE);
    }
    return Arrays.stream(CompressionType.values())
        .filter(codec -> codec.configName().equals(name))
        .findFirst();
  }

  private int intValue(MetadataImage image, TopicMetadata topic, TopicKey key) {
    return Integer.parseInt(value(image, topic.configs(), key).trim());
  }

  private long longValue(MetadataImage image, TopicMetadata topic, TopicKey key) {
    return Long.parseLong(value(image, topic.configs(), key).trim());
  }

  private ConfigEntry describe(
      MetadataImage image, Map<String, String> topicConfigs, TopicKey key) {
    List<ConfigEntry.Synonym> synonyms = new ArrayList<>();
    String set = topicConfigs.get(key.name());
    if (set != null) {
      synonyms.add(new ConfigEntry.Synonym(key.name(), shown(key.key(), set), Source.TOPIC));
    }
    List<ConfigKey> brokerKeys = key.synonyms().stream().map(TopicKey.Synonym::key).toList();
    addBrokerSynonyms(image, brokerKeys, synonyms);
    Source source = synonyms.isEmpty() ? Source.DEFAULT : synonyms.get(0).source();
    Optional<String> value = shown(key.key(), value(image, topicConfigs, key));
    return new ConfigEntry(key.key(), value, source, synonyms);
  }

  private ConfigEntry describeBrokerKey(MetadataImage image, ConfigKey key) {
    List<ConfigEntry.Synonym> synonyms = new ArrayList<>();
    addBrokerSynonyms(image, List.of(key), synonyms);
    if (synonyms.isEmpty()) {
      return new ConfigEntry(key, Optional.empty(), Source.DEFAULT, synonyms);
    }
    ConfigEntry.Synonym first = synonyms.get(0);
    return new ConfigEntry(key, first.value(), first.source(), synonyms);
  }

  private void addBrokerSynonyms(
      MetadataImage image, List<ConfigKey> keys, List<ConfigEntry.Synonym> synonyms) {
    for (BrokerLevel level : levels(image)) {
      for (ConfigKey key : keys) {
        Optional<String> text = level.text(key);
        if (text.isPresent()) {
          synonyms.add(new ConfigEntry.Synonym(key.name(), shown(key, text.get()), level.source()));
        }
      }
    }
    for (ConfigKey key : keys) {
      if (key.defaultText().isPresent()) {
        synonyms.add(new ConfigEntry.Synonym(key.name(), key.defaultText(), Source.DEFAULT));
      }
    }
  }

  private List<BrokerLevel> levels(MetadataImage image) {
    Map<String, String> own = image.brokerConfigs(OptionalInt.of(brokerId));
    Map<String, String> all = image.brokerConfigs(OptionalInt.empty());
    return List.of(
        new BrokerLevel(Source.DYNAMIC_BROKER, key -> Optional.ofNullable(own.get(key.name()))),
        new BrokerLevel(
            Source.DYNAMIC_DEFAULT_BROKER, key -> Optional.ofNullable(all.get(key.name()))),
        new BrokerLevel(Source.STATIC_BROKER, values::givenText));
  }

  private static Optional<String> shown(ConfigKey key, String text) {
    return key.isSensitive() ? Optional.empty() : Optional.of(text.trim());
  }

  /** A place where broker configurations are set. */
  private record BrokerLevel(Source source, Lookup lookup) {
    Optional<String> text(ConfigKey key) {
      return lookup.find(key);
    }
  }

  /** Finds what was set for a broker key. */
  @FunctionalInterface
  private interface Lookup {
    Optional<String> find(ConfigKey key);
  }
}
