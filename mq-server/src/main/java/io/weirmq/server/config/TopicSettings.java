package io.weirmq.server.config;

/**
 * Settings of making and deleting topics. Immutable.
 *
 * @param autoCreate whether a topic that a client asks for is made
 * @param deleteEnabled whether clients may delete topics
 * @param partitionCount partitions of a topic that is made without a number of them
 * @param replicationFactor replicas of a topic that is made without a number of them
 * @param requestPartitionsMax partitions that one request may create
 */
public record TopicSettings(
    boolean autoCreate,
    boolean deleteEnabled,
    int partitionCount,
    int replicationFactor,
    int requestPartitionsMax) {

  static TopicSettings of(ConfigValues values) {
    return new TopicSettings(
        values.flag(TopicDefaultKeys.AUTO_CREATE),
        values.flag(TopicDefaultKeys.DELETE_ENABLE),
        values.intValue(TopicDefaultKeys.NUM_PARTITIONS),
        values.intValue(TopicDefaultKeys.REPLICATION_FACTOR),
        values.intValue(NetworkKeys.REQUEST_PARTITIONS_MAX));
  }
}
