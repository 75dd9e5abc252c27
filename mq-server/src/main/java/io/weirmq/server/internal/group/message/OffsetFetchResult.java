package io.weirmq.server.internal.group.message;

import io.weirmq.protocol.ErrorCode;
import java.util.List;

/**
 * Committed offsets of a group. Immutable.
 *
 * @param error {@link ErrorCode#NONE}, or why the group was not looked at
 * @param offsets one for each partition asked for, in that order, or all that the group has,
 *     ordered by topic and partition; empty with an error
 */
public record OffsetFetchResult(ErrorCode error, List<FetchedOffset> offsets) {

  /** Copies the list. */
  public OffsetFetchResult {
    offsets = List.copyOf(offsets);
  }

  /** A refusal. */
  public static OffsetFetchResult refused(ErrorCode error) {
    return new OffsetFetchResult(error, List.of());
  }
}
