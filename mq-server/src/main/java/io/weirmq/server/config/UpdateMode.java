package io.weirmq.server.config;

/** Whether a broker configuration can be changed while the broker runs. */
public enum UpdateMode {
  /** Only with a restart. */
  READ_ONLY,
  /** With AlterConfigs, for one broker or for all. */
  DYNAMIC
}
