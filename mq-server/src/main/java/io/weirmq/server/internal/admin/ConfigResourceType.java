package io.weirmq.server.internal.admin;

/** The kinds of things that have configurations, by their numbers in the protocol. */
public final class ConfigResourceType {

  /** A topic. */
  public static final byte TOPIC = 2;

  /** A broker, or with an empty name all of them. */
  public static final byte BROKER = 4;

  /** The loggers of a broker. */
  public static final byte BROKER_LOGGER = 8;

  /** A subscription to metrics of clients. */
  public static final byte CLIENT_METRICS = 16;

  /** A group. */
  public static final byte GROUP = 32;

  private ConfigResourceType() {}
}
