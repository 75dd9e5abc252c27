package io.weirmq.server.internal.group.message;

import io.weirmq.storage.TopicPartition;
import java.util.List;

/**
 * Offsets to be remembered for a group. Immutable.
 *
 * @param groupId name of the group, possibly empty
 * @param member who commits; unnamed for a consumer without membership and for admin tools
 * @param generation generation of the member, negative for a consumer without membership
 * @param retentionMs how long to keep the offsets, in milliseconds; negative for the broker's rule
 * @param unknownGroupError what a member of a group that does not exist is told
 * @param offsets the offsets, one for each partition
 */
public record OffsetCommitCommand(
    String groupId,
    MemberIdentity member,
    int generation,
    long retentionMs,
    io.weirmq.protocol.ErrorCode unknownGroupError,
    List<Offset> offsets) {

  /** Copies the list. */
  public OffsetCommitCommand {
    offsets = List.copyOf(offsets);
  }

  /**
   * An offset of a partition. Immutable.
   *
   * @param partition the partition, known to exist
   * @param offset offset of the record to be read next
   * @param leaderEpoch leader epoch of the last record read, -1 where unknown
   * @param metadata text that the client wants back
   */
  public record Offset(TopicPartition partition, long offset, int leaderEpoch, String metadata) {}
}
