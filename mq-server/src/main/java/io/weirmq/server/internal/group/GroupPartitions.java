package io.weirmq.server.internal.group;

/**
 * Which partition of {@code __consumer_offsets} holds a group; its leader coordinates the group.
 * Stateless.
 */
public final class GroupPartitions {

  /** The topic of the groups' records. */
  public static final String TOPIC = "__consumer_offsets";

  private GroupPartitions() {}

  /**
   * The partition of a group.
   *
   * @param groupId name of the group
   * @param partitionCount number of partitions of the topic, above 0
   */
  public static int partitionOf(String groupId, int partitionCount) {
    int hash = groupId.hashCode();
    // The smallest int has no positive counterpart; Kafka takes 0 for it.
    return (hash == Integer.MIN_VALUE ? 0 : Math.abs(hash)) % partitionCount;
  }
}
