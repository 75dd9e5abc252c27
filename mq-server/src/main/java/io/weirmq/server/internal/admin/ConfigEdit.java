package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.config.ConfigKey;
import io.weirmq.server.config.ConfigType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How configurations are to be changed; may be worked out several times. Immutable. */
public sealed interface ConfigEdit {

  /** The longest value. */
  int VALUE_LENGTH_MAX = Short.MAX_VALUE;

  /**
   * Replaces all of them.
   *
   * @param configs the new ones
   */
  record Replace(Map<String, String> configs) implements ConfigEdit {
    /** Copies the map. */
    public Replace {
      configs = Map.copyOf(configs);
    }
  }

  /**
   * Changes some of them.
   *
   * @param operations the changes, one per key
   */
  record Change(List<Operation> operations) implements ConfigEdit {
    /** Copies the list. */
    public Change {
      operations = List.copyOf(operations);
    }
  }

  /**
   * A change of one configuration.
   *
   * @param key its key
   * @param kind what to do
   * @param value the value; null for {@link Kind#DELETE} only
   */
  record Operation(String key, Kind kind, @Nullable String value) {}

  /** What to do with a configuration; the order is the one of the protocol's numbers. */
  enum Kind {
    /** Set it. */
    SET,
    /** Take it away, so that the inherited value holds. */
    DELETE,
    /** Add parts to a list. */
    APPEND,
    /** Take parts from a list. */
    SUBTRACT
  }

  /**
   * Returns what is set afterwards.
   *
   * @throws RefusedException where a change does not fit
   */
  static Map<String, String> apply(ConfigEdit edit, ConfigTarget target) throws RefusedException {
    if (edit instanceof Replace replace) {
      return replace.configs();
    }
    Map<String, String> after = new HashMap<>(target.present());
    for (Operation operation : ((Change) edit).operations()) {
      apply(operation, target, after);
    }
    return after;
  }

  private static void apply(Operation operation, ConfigTarget target, Map<String, String> after)
      throws RefusedException {
    String key = operation.key();
    if (operation.kind() == Kind.DELETE) {
      after.remove(key);
      return;
    }
    String value = Objects.requireNonNull(operation.value());
    if (operation.kind() != Kind.SET) {
      requireList(key, operation.kind(), target);
      List<String> present =
          new ArrayList<>(ConfigType.parseList(after.getOrDefault(key, target.inherited(key))));
      List<String> parts = ConfigType.parseList(value);
      present.removeAll(parts);
      if (operation.kind() == Kind.APPEND) {
        present.addAll(parts);
      }
      value = String.join(",", present);
    }
    if (value.length() > VALUE_LENGTH_MAX) {
      throw new RefusedException(
          ErrorCode.INVALID_CONFIG,
          "The value of %s has %d characters, at most %d are allowed"
              .formatted(key, value.length(), VALUE_LENGTH_MAX));
    }
    after.put(key, value);
  }

  private static void requireList(String key, Kind kind, ConfigTarget target)
      throws RefusedException {
    boolean list = target.key(key).map(ConfigKey::type).filter(ConfigType.LIST::equals).isPresent();
    if (!list) {
      throw new RefusedException(
          ErrorCode.INVALID_CONFIG,
          "Can't %s to key %s because its type is not LIST.".formatted(kind, key));
    }
  }
}
