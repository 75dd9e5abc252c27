package io.weirmq.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a broker is started with: one settings record per component. Immutable.
 *
 * @param brokerId the broker's number, 0 or more
 * @param rack the place it stands in, or null
 * @param listeners where it listens
 * @param network settings of connections
 * @param sharedMemory settings of connections through shared memory
 * @param fetch settings of Fetch
 * @param storage settings of data folders
 * @param cleaner settings of compaction
 * @param pipelines settings of the write path
 * @param topics settings of making and deleting topics
 * @param groups settings of consumer groups
 * @param topicConfigs works out what holds for a topic
 * @param values all values with their origins
 */
public record BrokerConfig(
    int brokerId,
    @Nullable String rack,
    ListenerSettings listeners,
    NetworkSettings network,
    SharedMemorySettings sharedMemory,
    FetchSettings fetch,
    StorageSettings storage,
    CleanerSettings cleaner,
    PipelineSettings pipelines,
    TopicSettings topics,
    GroupSettings groups,
    TopicConfigs topicConfigs,
    ConfigValues values) {

  /**
   * Returns the configuration from checked sources.
   *
   * @throws ConfigException where a key is unknown, a value malformed, or values contradict each
   *     other; names all of them
   */
  public static BrokerConfig load(ConfigSources sources) throws ConfigException {
    ConfigValues values = sources.check();
    List<String> problems = new ArrayList<>();
    Optional<ListenerSettings> listeners = ListenerParser.parse(values, problems);
    checkTogether(values, problems);
    if (listeners.isEmpty() || !problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    int brokerId = brokerId(values);
    return new BrokerConfig(
        brokerId,
        values.text(NodeKeys.RACK).orElse(null),
        listeners.get(),
        NetworkSettings.of(values),
        SharedMemorySettings.of(values),
        FetchSettings.of(values),
        StorageSettings.of(values),
        CleanerSettings.of(values),
        PipelineSettings.of(values),
        TopicSettings.of(values),
        GroupSettings.of(values),
        new TopicConfigs(brokerId, values),
        values);
  }

  /**
   * Returns the configuration of defaults and some values.
   *
   * @throws ConfigException as {@link #load} does
   */
  public static BrokerConfig of(Map<String, String> values) throws ConfigException {
    return load(new ConfigSources().overrides(values));
  }

  private static int brokerId(ConfigValues values) {
    return values
        .text(NodeKeys.NODE_ID)
        .or(() -> values.text(NodeKeys.BROKER_ID))
        .map(text -> Integer.parseInt(text.trim()))
        .orElse(0);
  }

  private static void checkTogether(ConfigValues values, List<String> problems) {
    Optional<String> nodeId = values.text(NodeKeys.NODE_ID);
    Optional<String> brokerId = values.text(NodeKeys.BROKER_ID);
    if (nodeId.isPresent() && brokerId.isPresent() && !nodeId.equals(brokerId)) {
      problems.add(
          "node.id=%s (%s) and broker.id=%s (%s) differ; give one of them"
              .formatted(
                  nodeId.get(),
                  values.origin(NodeKeys.NODE_ID),
                  brokerId.get(),
                  values.origin(NodeKeys.BROKER_ID)));
    }
    int smallestRing = values.intValue(SharedMemoryKeys.RING_BYTES_LEAST);
    int largestRing = values.intValue(SharedMemoryKeys.RING_BYTES_MOST);
    if (smallestRing > largestRing) {
      problems.add(
          "shm.ring.bytes.min=%d is above shm.ring.bytes.max=%d"
              .formatted(smallestRing, largestRing));
    }
    int shortest = values.intValue(GroupKeys.MIN_SESSION_TIMEOUT_MS);
    int longest = values.intValue(GroupKeys.MAX_SESSION_TIMEOUT_MS);
    if (shortest > longest) {
      problems.add(
          "group.min.session.timeout.ms=%d is above group.max.session.timeout.ms=%d"
              .formatted(shortest, longest));
    }
  }
}
