package io.weirmq.server.config;

import io.weirmq.server.config.ConfigOrigin.Kind;
import io.weirmq.server.config.ConfigValues.Given;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers configurations: defaults, below a properties file, below environment variables, below
 * overrides; among overrides the later one wins. Confined to one thread.
 *
 * <p>The variable of a key is {@code WEIRMQ_} and the key in capitals with underscores for dots:
 * {@code WEIRMQ_NUM_PARTITIONS}; keys that begin with {@code weirmq.} don't say it twice.
 */
public final class ConfigSources {

  private static final Logger LOG = LoggerFactory.getLogger(ConfigSources.class);

  private static final String VARIABLE_PREFIX = "WEIRMQ_";
  private static final String OWN_PREFIX = "weirmq.";

  /** Variables of the launcher. */
  private static final Set<String> OTHER_VARIABLES =
      Set.of("WEIRMQ_HOME", "WEIRMQ_JAVA_OPTS", "WEIRMQ_CONFIG", "WEIRMQ_LOG_LEVEL");

  private final List<Entry> file = new ArrayList<>();
  private final List<Entry> environment = new ArrayList<>();
  private final List<Entry> overrides = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  /** Makes sources with nothing but the defaults. */
  public ConfigSources() {}

  /**
   * Adds a properties file in UTF-8.
   *
   * @throws IOException where it can't be read
   */
  public ConfigSources file(Path path) throws IOException {
    String text = Files.readString(path, StandardCharsets.UTF_8);
    return properties(text, path.getFileName().toString());
  }

  /**
   * Adds the text of a properties file.
   *
   * @param text as {@link java.util.Properties} reads it
   * @param name what messages call it
   */
  public ConfigSources properties(String text, String name) {
    for (PropertyLines.Line line : PropertyLines.parse(text)) {
      ConfigOrigin origin = new ConfigOrigin(Kind.FILE, name + ":" + line.number());
      file.add(new Entry(line.key(), line.value(), origin));
    }
    return this;
  }

  /** Adds environment variables; those without the prefix are left out. */
  public ConfigSources environment(Map<String, String> variables) {
    Map<String, String> names = new HashMap<>();
    BrokerKeys.all().keySet().forEach(key -> names.put(variableOf(key), key));
    variables.forEach(
        (variable, value) -> {
          if (variable.startsWith(VARIABLE_PREFIX) && !OTHER_VARIABLES.contains(variable)) {
            String key = names.getOrDefault(variable, keyOf(variable));
            ConfigOrigin origin = new ConfigOrigin(Kind.ENVIRONMENT, "environment " + variable);
            environment.add(new Entry(key, value, origin));
          }
        });
    return this;
  }

  /** Adds an override of the form {@code key=value}, as the command line gives it. */
  public ConfigSources override(String assignment) {
    int equals = assignment.indexOf('=');
    if (equals <= 0) {
      problems.add("--set '%s': expected key=value".formatted(assignment));
      return this;
    }
    String key = assignment.substring(0, equals).trim();
    ConfigOrigin origin = new ConfigOrigin(Kind.OVERRIDE, "--set " + key);
    overrides.add(new Entry(key, assignment.substring(equals + 1).trim(), origin));
    return this;
  }

  /** Adds overrides of a program that embeds the broker. */
  public ConfigSources overrides(Map<String, String> values) {
    values.forEach(
        (key, value) ->
            overrides.add(new Entry(key, value, new ConfigOrigin(Kind.OVERRIDE, "program"))));
    return this;
  }

  /**
   * Checks everything and returns what holds.
   *
   * @throws ConfigException where a key is unknown or a value malformed; names all of them
   */
  public ConfigValues check() throws ConfigException {
    List<String> found = new ArrayList<>(problems);
    Map<String, Given> given = new HashMap<>();
    List.of(file, environment, overrides)
        .forEach(source -> source.forEach(entry -> checkInto(entry, given, found)));
    if (!found.isEmpty()) {
      throw new ConfigException(found);
    }
    return new ConfigValues(given);
  }

  /** Returns the environment variable of a key. */
  static String variableOf(String key) {
    String rest = key.startsWith(OWN_PREFIX) ? key.substring(OWN_PREFIX.length()) : key;
    return VARIABLE_PREFIX + rest.toUpperCase(Locale.ROOT).replace('.', '_');
  }

  private static String keyOf(String variable) {
    return variable.substring(VARIABLE_PREFIX.length()).toLowerCase(Locale.ROOT).replace('_', '.');
  }

  private static void checkInto(Entry entry, Map<String, Given> given, List<String> problems) {
    Optional<ConfigKey> key = BrokerKeys.find(entry.key);
    if (key.isEmpty()) {
      problems.add(unknown(entry));
      return;
    }
    Optional<String> problem = key.get().problemWith(entry.value);
    if (problem.isPresent()) {
      problems.add("%s (%s)".formatted(problem.get(), entry.origin));
      return;
    }
    if (!key.get().effective()) {
      LOG.warn("{} has no effect in this broker ({})", entry.key, entry.origin);
    }
    given.put(entry.key, new Given(entry.value, entry.origin));
  }

  private static String unknown(Entry entry) {
    Optional<String> refusal = ForeignKeys.refusal(entry.key);
    if (refusal.isPresent()) {
      // No value: it may be a password.
      return "%s (%s): Kafka has this key, but %s; remove it"
          .formatted(entry.key, entry.origin, refusal.get());
    }
    String hint =
        BrokerKeys.nearest(entry.key)
            .map(nearest -> "; did you mean " + nearest + "?")
            .orElse("; docs/configuration.md lists all keys");
    return "%s=%s (%s): unknown key%s".formatted(entry.key, entry.value, entry.origin, hint);
  }

  /** One assignment of one source. */
  private record Entry(String key, String value, ConfigOrigin origin) {}
}
