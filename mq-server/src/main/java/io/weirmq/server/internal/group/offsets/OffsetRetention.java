package io.weirmq.server.internal.group.offsets;

import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Decides which offsets of a group have expired. Stateless.
 *
 * <ul>
 *   <li>A group whose members are consumers keeps all offsets while it has members, but for topics
 *       that none of them reads any more: those end a retention time after their last commit.
 *   <li>Once the group is empty, its clock starts: all offsets end a retention time later, or a
 *       retention time after their own commit where that is later.
 *   <li>Offsets without a group (consumers that assign themselves) end a retention time after their
 *       commit.
 *   <li>An offset that was committed with an end of its own ends then, and not before.
 * </ul>
 *
 * An offset whose next commit is on its way into the log does not expire.
 */
public final class OffsetRetention {

  private final long retentionMs;

  /**
   * Makes the rule.
   *
   * @param retentionMs how long offsets are kept once nobody uses them, in milliseconds
   */
  public OffsetRetention(long retentionMs) {
    this.retentionMs = retentionMs;
  }

  /** How a group uses its offsets. */
  public sealed interface Use {

    /** No group protocol is involved. Immutable. */
    record Standalone() implements Use {}

    /**
     * The group has lost its members. Immutable.
     *
     * @param sinceMs wall-clock time of that, in milliseconds since 1970; negative where unknown
     */
    record Empty(long sinceMs) implements Use {}

    /**
     * The group has members. Immutable.
     *
     * @param maySubscribe whether a member reads a topic; true where that is unknown
     */
    record Active(Predicate<String> maySubscribe) implements Use {}
  }

  /**
   * Finds what has expired.
   *
   * @param nowMs wall-clock time, in milliseconds since 1970
   * @return the partitions, ordered
   */
  public List<TopicPartition> expired(GroupOffsets offsets, Use use, long nowMs) {
    List<TopicPartition> expired = new ArrayList<>();
    offsets.forEach(
        (partition, offset) -> {
          if (!offsets.isCommitPending(partition)
              && isExpired(partition.topic(), offset, use, nowMs)) {
            expired.add(partition);
          }
        });
    return expired;
  }

  private boolean isExpired(String topic, CommittedOffset offset, Use use, long nowMs) {
    if (use instanceof Use.Active active && active.maySubscribe().test(topic)) {
      return false;
    }
    if (offset.hasOwnExpiry()) {
      return nowMs >= offset.expireTimestampMs();
    }
    long unusedSinceMs =
        use instanceof Use.Empty empty
            ? Math.max(empty.sinceMs(), offset.commitTimestampMs())
            : offset.commitTimestampMs();
    return nowMs - unusedSinceMs >= retentionMs;
  }
}
