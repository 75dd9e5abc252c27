package io.weirmq.storage.internal.checkpoint;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Lines of a key, a separator and a value; other lines don't count. Immutable. */
final class KeyValueLines {

  private final Map<String, String> values;

  private KeyValueLines(Map<String, String> values) {
    this.values = values;
  }

  static KeyValueLines parse(byte[] content, char separator) {
    Map<String, String> values = new HashMap<>();
    String text = new String(content, StandardCharsets.UTF_8);
    for (String line : text.split("\n", -1)) {
      int at = line.indexOf(separator);
      if (at > 0 && !line.startsWith("#")) {
        values.put(line.substring(0, at).strip(), line.substring(at + 1).strip());
      }
    }
    return new KeyValueLines(values);
  }

  /** The value of a key; empty where there is no such line, or nothing behind the separator. */
  Optional<String> value(String key) {
    return Optional.ofNullable(values.get(key)).filter(value -> !value.isEmpty());
  }
}
