package io.weirmq.server.internal.group.records;

import io.weirmq.server.internal.group.offsets.CommittedOffset;
import io.weirmq.storage.TopicPartition;

/** A record of {@code __consumer_offsets}, decoded. */
public sealed interface GroupRecord {

  /**
   * A group has committed an offset. Immutable.
   *
   * @param groupId name of the group
   * @param partition partition of the offset
   * @param offset what was committed
   */
  record OffsetCommitted(String groupId, TopicPartition partition, CommittedOffset offset)
      implements GroupRecord {}

  /**
   * An offset has expired or was deleted: the tombstone of {@link OffsetCommitted}. Immutable.
   *
   * @param groupId name of the group
   * @param partition partition of the offset
   */
  record OffsetRemoved(String groupId, TopicPartition partition) implements GroupRecord {}

  /**
   * The state of a group. Immutable.
   *
   * @param metadata the state
   */
  record GroupStored(GroupMetadata metadata) implements GroupRecord {}

  /**
   * A group is gone: the tombstone of {@link GroupStored}. Immutable.
   *
   * @param groupId name of the group
   */
  record GroupRemoved(String groupId) implements GroupRecord {}

  /**
   * A record of a kind that this broker does not know, of newer group protocols for instance.
   * Immutable.
   *
   * @param keyType the kind
   */
  record Unknown(short keyType) implements GroupRecord {}
}
