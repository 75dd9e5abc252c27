package io.weirmq.server.internal.group.classic;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where a classic group is in its life.
 *
 * <pre>
 *            join                    all joined             assignment stored
 *   EMPTY ---------&gt; PREPARING -----------------&gt; COMPLETING ----------------&gt; STABLE
 *     ^                |   ^                          |                          |
 *     |  nobody left   |   |     member comes, goes, changes or does not sync    |
 *     +----------------+   +--------------------------+--------------------------+
 *
 *   any --(deleted, or coordinated elsewhere)--&gt; DEAD
 * </pre>
 *
 * Immutable.
 */
public enum GroupState {
  /** No members; there may be offsets. */
  EMPTY("Empty"),
  /** Waits for members to join the next generation. */
  PREPARING_REBALANCE("PreparingRebalance"),
  /** The generation's members are known, the leader's assignment is not yet stored. */
  COMPLETING_REBALANCE("CompletingRebalance"),
  /** Each member has or can have its assignment. */
  STABLE("Stable"),
  /** The group is no longer here. */
  DEAD("Dead");

  private final String label;

  GroupState(String label) {
    this.label = label;
  }

  /** The name that tools show. */
  public String label() {
    return label;
  }

  /** Whether the state may follow this one. */
  public boolean canBecome(GroupState next) {
    return successors().contains(next);
  }

  private Set<GroupState> successors() {
    return switch (this) {
      case EMPTY -> EnumSet.of(PREPARING_REBALANCE, DEAD);
      case PREPARING_REBALANCE -> EnumSet.of(EMPTY, COMPLETING_REBALANCE, DEAD);
      case COMPLETING_REBALANCE -> EnumSet.of(PREPARING_REBALANCE, STABLE, DEAD);
      case STABLE -> EnumSet.of(PREPARING_REBALANCE, DEAD);
      case DEAD -> EnumSet.of(DEAD);
    };
  }
}
