package io.weirmq.server.config;

/**
 * Where a configuration value came from. Immutable.
 *
 * @param kind which of the sources
 * @param detail the place in it, such as {@code server.properties:12}
 */
public record ConfigOrigin(Kind kind, String detail) {

  /** The origin of values that nobody gave. */
  public static final ConfigOrigin DEFAULT = new ConfigOrigin(Kind.DEFAULT, "default");

  /** The sources, each overriding those before it. */
  public enum Kind {
    /** The table of keys. */
    DEFAULT,
    /** A properties file. */
    FILE,
    /** An environment variable. */
    ENVIRONMENT,
    /** The command line, or the program that embeds the broker. */
    OVERRIDE
  }

  @Override
  public String toString() {
    return detail;
  }
}
