package io.weirmq.server.config;

/** How much a configuration matters to most users. */
public enum Importance {
  /** To be looked at before production. */
  HIGH,
  /** Worth knowing. */
  MEDIUM,
  /** Rarely touched. */
  LOW
}
