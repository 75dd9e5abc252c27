package io.weirmq.storage;

/** Who appends; it decides which checks apply. */
public enum AppendOrigin {
  /** A client: everything is validated, control batches are refused. */
  CLIENT,
  /** A coordinator of this broker: offsets are assigned, client rules don't apply. */
  COORDINATOR,
  /** A leader, through a follower's fetcher: offsets are given, the checksum is verified. */
  REPLICATION
}
