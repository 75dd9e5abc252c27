package io.weirmq.server.internal.group;

import io.weirmq.server.internal.group.classic.ClassicConfig;
import io.weirmq.server.internal.group.offsets.OffsetConfig;

/**
 * Settings of the group coordinator. Immutable.
 *
 * @param classic of the group protocol
 * @param offsets of committed offsets
 */
public record GroupConfig(ClassicConfig classic, OffsetConfig offsets) {

  /** Kafka's defaults. */
  public static final GroupConfig DEFAULTS =
      new GroupConfig(ClassicConfig.DEFAULTS, OffsetConfig.DEFAULTS);
}
