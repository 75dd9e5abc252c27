package io.weirmq.server.config;

import java.util.List;
import java.util.Objects;

/**
 * One row of the table of topic configurations. Immutable.
 *
 * @param key name, type, default, rule and meaning
 * @param synonyms the broker keys that hold where the topic does not set it, the first that is
 *     given wins; empty for keys that only topics have
 */
public record TopicKey(ConfigKey key, List<Synonym> synonyms) {

  /** Copies the list. */
  public TopicKey {
    Objects.requireNonNull(key, "key");
    synonyms = List.copyOf(synonyms);
  }

  /** The name of the configuration. */
  public String name() {
    return key.name();
  }

  /**
   * A broker key that stands in for a topic key. Immutable.
   *
   * @param key the broker key
   * @param factor what its value is multiplied with, such as 3600000 from hours to milliseconds
   */
  public record Synonym(ConfigKey key, long factor) {

    /** Returns the broker's value in the unit of the topic key; negative ones mean "never". */
    public String convert(String text) {
      if (factor == 1) {
        return text.trim();
      }
      long value = Long.parseLong(text.trim());
      return Long.toString(value < 0 ? -1 : Math.multiplyExact(value, factor));
    }
  }
}
