package io.weirmq.replication;

/** How the leader epoch that a client knows relates to the partition's. */
public enum EpochCheck {
  /** The epochs are the same, or the client asked for no check. */
  OK,
  /** The client's epoch is older: {@code FENCED_LEADER_EPOCH}. */
  FENCED,
  /** The client's epoch is newer: {@code UNKNOWN_LEADER_EPOCH}. */
  UNKNOWN
}
