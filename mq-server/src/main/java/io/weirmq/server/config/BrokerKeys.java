package io.weirmq.server.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The table of broker configurations: what can be set, what it means, what holds otherwise.
 * Immutable.
 *
 * <p>Parsing, the documentation and DescribeConfigs all read this table, so they agree.
 */
public final class BrokerKeys {

  private static final Map<String, ConfigKey> BY_NAME = table();

  private BrokerKeys() {}

  /** All keys by name, in alphabetical order. */
  public static Map<String, ConfigKey> all() {
    return BY_NAME;
  }

  /** Returns the key of a name; empty where there is none. */
  public static Optional<ConfigKey> find(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** Returns the known name that is nearest to an unknown one; empty where none is near. */
  public static Optional<String> nearest(String name) {
    return EditDistance.nearest(name, BY_NAME.keySet());
  }

  private static Map<String, ConfigKey> table() {
    List<ConfigKey> keys = new ArrayList<>();
    keys.addAll(NodeKeys.all());
    keys.addAll(NetworkKeys.all());
    keys.addAll(SharedMemoryKeys.all());
    keys.addAll(StorageKeys.all());
    keys.addAll(CleanerKeys.all());
    keys.addAll(TopicDefaultKeys.all());
    keys.addAll(GroupKeys.all());
    keys.addAll(ForeignKeys.withoutEffect());
    Map<String, ConfigKey> byName = new TreeMap<>();
    for (ConfigKey key : keys) {
      if (byName.put(key.name(), key) != null) {
        throw new IllegalStateException("key " + key.name() + " is in the table twice");
      }
    }
    return Collections.unmodifiableMap(byName);
  }
}
