package io.weirmq.server.internal.group.offsets;

import java.util.Objects;

/**
 * An offset that a group has committed for a partition. Immutable.
 *
 * @param offset offset of the record to be read next; stored as it came
 * @param leaderEpoch leader epoch of the last record read, {@link #NO_LEADER_EPOCH} where unknown
 * @param metadata text that the client wants back, empty where none
 * @param commitTimestampMs wall-clock time of the commit, in milliseconds since 1970
 * @param expireTimestampMs wall-clock time at which the offset ends whatever its group does, in
 *     milliseconds since 1970; {@link #NO_EXPIRY} where the broker's retention decides
 */
public record CommittedOffset(
    long offset, int leaderEpoch, String metadata, long commitTimestampMs, long expireTimestampMs) {

  /** The leader epoch where none is known. */
  public static final int NO_LEADER_EPOCH = -1;

  /** The expiry of an offset that has none of its own. */
  public static final long NO_EXPIRY = -1;

  /** Checks the parts. */
  public CommittedOffset {
    Objects.requireNonNull(metadata, "metadata");
  }

  /** Whether the client gave the offset an end of its own. */
  public boolean hasOwnExpiry() {
    return expireTimestampMs != NO_EXPIRY;
  }
}
