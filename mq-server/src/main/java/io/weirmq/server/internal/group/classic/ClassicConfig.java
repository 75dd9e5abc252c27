package io.weirmq.server.internal.group.classic;

/**
 * Settings of the classic group protocol. Immutable.
 *
 * @param sessionTimeoutMsMin {@code group.min.session.timeout.ms}: shortest session that a member
 *     may ask for, in milliseconds
 * @param sessionTimeoutMsMax {@code group.max.session.timeout.ms}: longest session that a member
 *     may ask for, in milliseconds
 * @param initialRebalanceDelayMs {@code group.initial.rebalance.delay.ms}: how long an empty group
 *     waits for more members, in milliseconds, 0 for not at all
 * @param membersMax {@code group.max.size}: most members that a group may have, above 0
 */
public record ClassicConfig(
    int sessionTimeoutMsMin, int sessionTimeoutMsMax, int initialRebalanceDelayMs, int membersMax) {

  /**
   * Most ids that a group gives to clients which have not come back with them: each takes memory
   * for the length of a session.
   */
  public static final int PENDING_MEMBERS_MAX = 10_000;

  /**
   * How long a member may wait for its first answer, in milliseconds: it can't send heartbeats
   * meanwhile, so nothing else tells whether it is still there.
   */
  public static final int FIRST_JOIN_TIMEOUT_MS = 300_000;

  /** Most characters of a name in a join: it must fit into the stored record's int16 length. */
  public static final int NAME_CHARS_MAX = 10_000;

  /** Kafka's defaults: 6 s to 30 min, 3 s, no limit. */
  public static final ClassicConfig DEFAULTS =
      new ClassicConfig(6_000, 1_800_000, 3_000, Integer.MAX_VALUE);

  /** Checks the values. */
  public ClassicConfig {
    if (sessionTimeoutMsMin < 0 || sessionTimeoutMsMax < sessionTimeoutMsMin) {
      throw new IllegalArgumentException(
          "group.min.session.timeout.ms = %d and group.max.session.timeout.ms = %d: expected 0 <= min <= max"
              .formatted(sessionTimeoutMsMin, sessionTimeoutMsMax));
    }
    if (initialRebalanceDelayMs < 0) {
      throw new IllegalArgumentException(
          "group.initial.rebalance.delay.ms = %d: expected 0 or more"
              .formatted(initialRebalanceDelayMs));
    }
    if (membersMax < 1) {
      throw new IllegalArgumentException(
          "group.max.size = %d: expected 1 or more".formatted(membersMax));
    }
  }
}
