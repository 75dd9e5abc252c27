package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.replication.metadata.MetadataChange;
import io.weirmq.replication.metadata.MetadataChange.SetBrokerConfigs;
import io.weirmq.replication.metadata.MetadataChange.SetTopicConfigs;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.config.BrokerKeys;
import io.weirmq.server.config.ConfigKey;
import io.weirmq.server.config.TopicConfigs;
import io.weirmq.server.config.TopicKey;
import io.weirmq.server.config.TopicKeys;
import io.weirmq.server.config.UpdateMode;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Something that has configurations, as it is in one image. Immutable. */
sealed interface ConfigTarget {

  /** What is set for it now. */
  Map<String, String> present();

  /** Returns the row of a key; empty where it has no such key. */
  Optional<ConfigKey> key(String name);

  /** Returns the value that holds where none is set for it. */
  String inherited(String name);

  /**
   * Checks what is to be set for it.
   *
   * @throws RefusedException where a key is unknown, fixed, or has a value that is not allowed
   */
  void check(Map<String, String> configs) throws RefusedException;

  /** Returns the change that sets it. */
  MetadataChange change(Map<String, String> configs);

  /** A topic. */
  record OfTopic(MetadataImage image, TopicMetadata topic, TopicConfigs configs)
      implements ConfigTarget {

    @Override
    public Map<String, String> present() {
      return topic.configs();
    }

    @Override
    public Optional<ConfigKey> key(String name) {
      return TopicKeys.find(name).map(TopicKey::key);
    }

    @Override
    public String inherited(String name) {
      return TopicKeys.find(name).map(key -> configs.value(image, Map.of(), key)).orElse("");
    }

    @Override
    public void check(Map<String, String> changed) throws RefusedException {
      Optional<String> problem = TopicConfigs.problemWithTopic(changed);
      if (problem.isPresent()) {
        throw new RefusedException(ErrorCode.INVALID_CONFIG, problem.get());
      }
    }

    @Override
    public MetadataChange change(Map<String, String> changed) {
      return new SetTopicConfigs(topic.id(), topic.configs(), changed);
    }
  }

  /** A broker, or all of them. */
  record OfBroker(MetadataImage image, OptionalInt brokerId, TopicConfigs configs)
      implements ConfigTarget {

    @Override
    public Map<String, String> present() {
      return image.brokerConfigs(brokerId);
    }

    @Override
    public Optional<ConfigKey> key(String name) {
      return BrokerKeys.find(name);
    }

    @Override
    public String inherited(String name) {
      return BrokerKeys.find(name).flatMap(ConfigKey::defaultText).orElse("");
    }

    @Override
    public void check(Map<String, String> changed) throws RefusedException {
      for (Map.Entry<String, String> entry : changed.entrySet()) {
        ConfigKey key =
            BrokerKeys.find(entry.getKey())
                .orElseThrow(
                    () ->
                        new RefusedException(
                            ErrorCode.INVALID_REQUEST,
                            "Unknown broker config name: " + entry.getKey()));
        if (key.updateMode() == UpdateMode.READ_ONLY) {
          throw new RefusedException(
              ErrorCode.INVALID_REQUEST,
              "%s can't be changed while the broker runs".formatted(key.name()));
        }
        Optional<String> problem = key.problemWith(entry.getValue());
        if (problem.isPresent()) {
          throw new RefusedException(ErrorCode.INVALID_REQUEST, problem.get());
        }
      }
    }

    @Override
    public MetadataChange change(Map<String, String> changed) {
      return new SetBrokerConfigs(brokerId, present(), changed);
    }
  }
}
