package io.weirmq.bench.compare;

/** Why a contestant takes part, which decides whom it is set against. Immutable. */
public enum Role {

  /** The project's own, set against all others. */
  SUBJECT,

  /**
   * The project's own, there for subjects to be compared with, such as TCP beside shared memory;
   * itself set against peers.
   */
  BASELINE,

  /** Of somebody else. */
  PEER;

  /** Whether ratios of this one to another one are of interest. */
  public boolean isSetAgainst(Role other) {
    return compareTo(other) < 0;
  }
}
