package io.weirmq.bench.compare;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Named values that a process of a contestant is started with. Immutable. */
public final class Settings {

  private final Map<String, String> values;

  private Settings(Map<String, String> values) {
    this.values = Map.copyOf(values);
  }

  /** Returns settings with these values. */
  public static Settings of(Map<String, String> values) {
    return new Settings(values);
  }

  /** A value that must be there. */
  public String text(String key) {
    return find(key)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "setting '%s' is missing; there are %s"
                        .formatted(key, new TreeMap<>(values).keySet())));
  }

  /** A value that may be there. */
  public Optional<String> find(String key) {
    return Optional.ofNullable(values.get(key));
  }

  /** A value that must be a number. */
  public int number(String key) {
    return Math.toIntExact(longNumber(key));
  }

  /** A value that must be a number. */
  public long longNumber(String key) {
    String text = text(key);
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "setting '%s' is '%s', expected a number".formatted(key, text), e);
    }
  }

  /** All values. */
  public Map<String, String> asMap() {
    return values;
  }
}
