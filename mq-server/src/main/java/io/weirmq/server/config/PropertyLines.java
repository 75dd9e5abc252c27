package io.weirmq.server.config;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** Reads a properties file as {@link Properties} does, and keeps the line numbers. */
final class PropertyLines {

  private PropertyLines() {}

  /** Returns the assignments in their order. */
  static List<Line> parse(String text) {
    List<Line> lines = new ArrayList<>();
    StringBuilder logical = new StringBuilder();
    int number = 0;
    int first = 0;
    for (String raw : text.split("\\R", -1)) {
      number++;
      boolean begins = logical.isEmpty();
      if (begins) {
        first = number;
      }
      logical.append(raw).append('\n');
      if (!(isContinued(raw) && !(begins && isComment(raw)))) {
        addTo(lines, logical.toString(), first);
        logical.setLength(0);
      }
    }
    if (!logical.isEmpty()) {
      addTo(lines, logical.toString(), first);
    }
    return lines;
  }

  private static void addTo(List<Line> lines, String logical, int number) {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(logical));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    properties
        .stringPropertyNames()
        .forEach(key -> lines.add(new Line(number, key, properties.getProperty(key).trim())));
  }

  private static boolean isComment(String raw) {
    String trimmed = raw.stripLeading();
    return trimmed.startsWith("#") || trimmed.startsWith("!");
  }

  private static boolean isContinued(String raw) {
    int backslashes = 0;
    while (backslashes < raw.length() && raw.charAt(raw.length() - 1 - backslashes) == '\\') {
      backslashes++;
    }
    return backslashes % 2 == 1;
  }

  /** An assignment and the number of its first line, from 1. */
  record Line(int number, String key, String value) {}
}
