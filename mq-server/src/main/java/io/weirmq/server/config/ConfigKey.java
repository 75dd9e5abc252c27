package io.weirmq.server.config;

import java.util.Objects;
import java.util.Optional;

/**
 * One row of the table of configurations. Immutable.
 *
 * @param name the key, such as {@code num.partitions}
 * @param type type of its value
 * @param defaultText the value that holds where none is given; empty where there is none
 * @param rule what the value must satisfy besides its type
 * @param importance how much it matters
 * @param updateMode whether it can be changed while the broker runs
 * @param effective false for keys of Kafka that are accepted, so that its files can be used, but
 *     change nothing here
 * @param internal whether it is left out of DescribeConfigs and the documentation: for tests
 * @param doc what it does, in one or a few sentences
 */
public record ConfigKey(
    String name,
    ConfigType type,
    Optional<String> defaultText,
    ConfigRule rule,
    Importance importance,
    UpdateMode updateMode,
    boolean effective,
    boolean internal,
    String doc) {

  /** Checks that the default passes the rule. */
  public ConfigKey {
    Objects.requireNonNull(name, "name");
    String text = defaultText.orElse(null);
    if (text != null && !rule.test().test(type.parse(text))) {
      throw new IllegalArgumentException(
          "default %s of %s is not %s".formatted(text, name, rule.allowed()));
    }
  }

  /** Returns a key with a default, without a rule, read-only. */
  public static ConfigKey of(
      String name, ConfigType type, String defaultText, Importance importance, String doc) {
    return new ConfigKey(
        name,
        type,
        Optional.of(defaultText),
        ConfigRule.ANY,
        importance,
        UpdateMode.READ_ONLY,
        true,
        false,
        doc);
  }

  /** Returns a key without a default, without a rule, read-only. */
  public static ConfigKey optional(
      String name, ConfigType type, Importance importance, String doc) {
    return new ConfigKey(
        name,
        type,
        Optional.empty(),
        ConfigRule.ANY,
        importance,
        UpdateMode.READ_ONLY,
        true,
        false,
        doc);
  }

  /** Returns a key of Kafka that is accepted and changes nothing. */
  public static ConfigKey withoutEffect(String name, ConfigType type, String defaultText) {
    return new ConfigKey(
        name,
        type,
        Optional.of(defaultText),
        ConfigRule.ANY,
        Importance.LOW,
        UpdateMode.READ_ONLY,
        false,
        false,
        "Accepted so that files written for Kafka can be used; changes nothing in this broker.");
  }

  /** Returns this key with a rule. */
  public ConfigKey with(ConfigRule newRule) {
    return new ConfigKey(
        name, type, defaultText, newRule, importance, updateMode, effective, internal, doc);
  }

  /** Returns this key, changeable while the broker runs. */
  public ConfigKey dynamic() {
    return new ConfigKey(
        name, type, defaultText, rule, importance, UpdateMode.DYNAMIC, effective, internal, doc);
  }

  /** Returns this key, left out of DescribeConfigs and the documentation. */
  public ConfigKey hidden() {
    return new ConfigKey(
        name, type, defaultText, rule, importance, updateMode, effective, true, doc);
  }

  /** Whether its value must not be shown. */
  public boolean isSensitive() {
    return type == ConfigType.PASSWORD;
  }

  /** Returns what is wrong with a value: what was expected and what was found; empty if nothing. */
  public Optional<String> problemWith(String text) {
    Object value;
    try {
      value = type.parse(text);
    } catch (IllegalArgumentException e) {
      return Optional.of("%s: expected %s, found '%s'".formatted(name, expected(), shown(text)));
    }
    return rule.test().test(value)
        ? Optional.empty()
        : Optional.of("%s: expected %s, found '%s'".formatted(name, expected(), shown(text)));
  }

  /** What a value must be. */
  public String expected() {
    if (rule.allowed().isEmpty()) {
      return type.expected();
    }
    return switch (type) {
      case INT, SHORT, LONG -> "a whole number, " + rule.allowed();
      case DOUBLE -> "a number, " + rule.allowed();
      default -> rule.allowed();
    };
  }

  private String shown(String text) {
    return isSensitive() ? "[hidden]" : text;
  }
}
