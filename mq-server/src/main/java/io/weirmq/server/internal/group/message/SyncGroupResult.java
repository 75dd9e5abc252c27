package io.weirmq.server.internal.group.message;

import io.weirmq.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a {@link SyncGroupCommand}. Immutable.
 *
 * @param error {@link ErrorCode#NONE}, or why there is no assignment
 * @param protocolType kind of group, null with an error
 * @param protocolName protocol of the generation, null with an error
 * @param assignment the bytes that the leader gave for the member; none where it gave none
 */
public record SyncGroupResult(
    ErrorCode error,
    @Nullable String protocolType,
    @Nullable String protocolName,
    OpaqueBytes assignment) {

  /** A refusal. */
  public static SyncGroupResult refused(ErrorCode error) {
    return new SyncGroupResult(error, null, null, OpaqueBytes.EMPTY);
  }
}
