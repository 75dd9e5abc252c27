package io.weirmq.server.config;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Checked broker configurations with their origins. Immutable. */
public final class ConfigValues {

  private final Map<String, Given> given;

  ConfigValues(Map<String, Given> given) {
    this.given = Map.copyOf(given);
  }

  /** Returns the text that was given or the default; empty where there is neither. */
  public Optional<String> text(ConfigKey key) {
    Given value = given.get(key.name());
    return value != null ? Optional.of(value.text()) : key.defaultText();
  }

  /** Returns the text that was given; empty where the default holds. */
  public Optional<String> givenText(ConfigKey key) {
    return Optional.ofNullable(given.get(key.name())).map(Given::text);
  }

  /** Returns where the value came from. */
  public ConfigOrigin origin(ConfigKey key) {
    Given value = given.get(key.name());
    return value != null ? value.origin() : ConfigOrigin.DEFAULT;
  }

  /** The names of the keys that were given. */
  public List<String> givenNames() {
    return given.keySet().stream().sorted().toList();
  }

  /** Returns the value of a key of type INT or SHORT. */
  public int intValue(ConfigKey key) {
    return ((Number) value(key)).intValue();
  }

  /** Returns the value of a key of a whole-number type. */
  public long longValue(ConfigKey key) {
    return ((Number) value(key)).longValue();
  }

  /** Returns the value of a key of type DOUBLE. */
  public double doubleValue(ConfigKey key) {
    return ((Number) value(key)).doubleValue();
  }

  /** Returns the value of a key of type BOOLEAN. */
  public boolean flag(ConfigKey key) {
    return (Boolean) value(key);
  }

  /** Returns the value of a key of type STRING. */
  public String string(ConfigKey key) {
    return (String) value(key);
  }

  /** Returns the value of a key of type LIST. */
  public List<String> list(ConfigKey key) {
    return ConfigType.parseList(requireText(key));
  }

  private Object value(ConfigKey key) {
    return key.type().parse(requireText(key));
  }

  private String requireText(ConfigKey key) {
    return text(key)
        .orElseThrow(() -> new IllegalStateException(key.name() + " has no value and no default"));
  }

  @Override
  public String toString() {
    return "ConfigValues" + givenNames();
  }

  /** A value that was given. */
  record Given(String text, ConfigOrigin origin) {
    Given {
      Objects.requireNonNull(text, "text");
      Objects.requireNonNull(origin, "origin");
    }
  }
}
