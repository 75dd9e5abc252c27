package io.weirmq.storage.internal.checkpoint;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Lines of a key, a separator and a value; others are passed over, and told. Immutable. */
final class KeyValueLines {

  private final Map<String, String> values;
  private final int otherLines;

  private KeyValueLines(Map<String, String> values, int otherLines) {
    this.values = values;
    this.otherLines = otherLines;
  }

  static KeyValueLines parse(byte[] content, char separator) {
    Map<String, String> values = new HashMap<>();
    String text = new String(content, StandardCharsets.UTF_8);
    int otherLines = 0;
    for (String line : text.split("\n", -1)) {
      int at = line.indexOf(separator);
      if (at > 0 && !line.startsWith("#")) {
        values.put(line.substring(0, at).strip(), line.substring(at + 1).strip());
      } else if (!line.isBlank() && !line.startsWith("#")) {
        otherLines++;
      }
    }
    return new KeyValueLines(values, otherLines);
  }

  /** Lines that are neither of a key and a value, nor blank, nor a comment. */
  int otherLines() {
    return otherLines;
  }

  /** The value of a key; empty where there is no such line, or nothing behind the separator. */
  Optional<String> value(String key) {
    return Optional.ofNullable(values.get(key)).filter(value -> !value.isEmpty());
  }
}
