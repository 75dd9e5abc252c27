package io.weirmq.storage.internal.checkpoint;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * Whose data folder it is. Immutable.
 *
 * @param nodeId the broker's id; empty where it isn't known yet
 * @param clusterId the cluster's id; empty where it isn't known yet
 * @param directoryId the folder's own id; empty in files of the old version 0
 */
public record MetaProperties(
    OptionalInt nodeId, Optional<String> clusterId, Optional<UUID> directoryId) {

  /** Nothing is known. */
  public static final MetaProperties EMPTY =
      new MetaProperties(OptionalInt.empty(), Optional.empty(), Optional.empty());
}
