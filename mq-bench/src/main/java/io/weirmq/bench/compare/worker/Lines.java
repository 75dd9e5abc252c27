package io.weirmq.bench.compare.worker;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** The lines between driver and process. Stateless. */
public final class Lines {

  /** What a line for the driver begins with. */
  public static final String PREFIX = "@bench ";

  private Lines() {}

  /** Writes values as words, in the order of their keys. */
  public static String encode(Map<String, String> values) {
    StringBuilder line = new StringBuilder();
    new TreeMap<>(values)
        .forEach((key, value) -> line.append(' ').append(key).append('=').append(encode(value)));
    return line.toString().strip();
  }

  /** Writes a text as one word. */
  public static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** Reads a text that was written as one word. */
  public static String decodeText(String word) {
    return URLDecoder.decode(word, StandardCharsets.UTF_8);
  }

  /**
   * Reads values.
   *
   * @throws IllegalArgumentException where a word has no equals sign
   */
  public static Map<String, String> decode(String words) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String word : words.strip().split(" ")) {
      if (word.isEmpty()) {
        continue;
      }
      int equals = word.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException("'" + word + "' is not of the form key=value");
      }
      values.put(word.substring(0, equals), decodeText(word.substring(equals + 1)));
    }
    return values;
  }
}
