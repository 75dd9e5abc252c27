package io.weirmq.server.internal.broker;

import io.weirmq.server.config.GroupSettings;
import io.weirmq.server.config.TopicKeys;
import io.weirmq.server.internal.group.GroupPartitions;
import java.util.Map;
import java.util.function.Function;

/**
 * What a topic is configured with whose own configurations are lost. Immutable.
 *
 * <p>The topic of the groups gets what it is made with. Others keep all records until somebody sets
 * their configurations again: with the broker's defaults, what was to be kept for ever or to be
 * compacted would be deleted by age.
 */
final class LostConfigs implements Function<String, Map<String, String>> {

  private static final Map<String, String> KEEP_ALL =
      Map.of(
          TopicKeys.CLEANUP_POLICY.name(), "delete",
          TopicKeys.RETENTION_MS.name(), "-1",
          TopicKeys.RETENTION_BYTES.name(), "-1");

  private final Map<String, String> groupTopic;

  LostConfigs(GroupSettings groups) {
    this.groupTopic = Coordination.topicSettings(groups).configs();
  }

  @Override
  public Map<String, String> apply(String topic) {
    return topic.equals(GroupPartitions.TOPIC) ? groupTopic : KEEP_ALL;
  }
}
