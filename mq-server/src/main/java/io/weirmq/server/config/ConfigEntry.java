package io.weirmq.server.config;

import java.util.List;
import java.util.Optional;

/**
 * A configuration as DescribeConfigs tells it. Immutable.
 *
 * @param key the row of the table
 * @param value the value that holds; empty where there is none or it must not be shown
 * @param source where it came from
 * @param synonyms all places that give a value, the one that holds first
 */
public record ConfigEntry(
    ConfigKey key, Optional<String> value, Source source, List<Synonym> synonyms) {

  /** Copies the list. */
  public ConfigEntry {
    synonyms = List.copyOf(synonyms);
  }

  /** Whether it was set for the very thing that was asked for, or came from elsewhere. */
  public boolean isDefault() {
    return source == Source.DEFAULT;
  }

  /**
   * A place that gives a value. Immutable.
   *
   * @param name the key there
   * @param value the value there; empty where it must not be shown
   * @param source the place
   */
  public record Synonym(String name, Optional<String> value, Source source) {}

  /** The places a value may come from, with their numbers on the wire. */
  public enum Source {
    /** Set for the topic. */
    TOPIC(1),
    /** Set for this broker while it ran. */
    DYNAMIC_BROKER(2),
    /** Set for all brokers while they ran. */
    DYNAMIC_DEFAULT_BROKER(3),
    /** Given at start. */
    STATIC_BROKER(4),
    /** The table's default. */
    DEFAULT(5);

    private final byte wireId;

    Source(int wireId) {
      this.wireId = (byte) wireId;
    }

    /** The number of the source on the wire. */
    public byte wireId() {
      return wireId;
    }
  }
}
