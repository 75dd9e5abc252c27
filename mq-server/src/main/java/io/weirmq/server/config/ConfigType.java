package io.weirmq.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The types of configuration values, with the numbers that DescribeConfigs gives them. */
public enum ConfigType {
  /** {@code true} or {@code false}. */
  BOOLEAN(1, "true or false"),
  /** Any text. */
  STRING(2, "text"),
  /** A whole number of 32 bits. */
  INT(3, "a whole number from -2147483648 to 2147483647"),
  /** A whole number of 16 bits. */
  SHORT(4, "a whole number from -32768 to 32767"),
  /** A whole number of 64 bits. */
  LONG(5, "a whole number from -9223372036854775808 to 9223372036854775807"),
  /** A decimal number. */
  DOUBLE(6, "a number"),
  /** Texts with commas between them. */
  LIST(7, "texts with commas between them"),
  /** The name of a class. */
  CLASS(8, "a class name"),
  /** A text that is never shown. */
  PASSWORD(9, "text");

  private final byte wireId;
  private final String expected;

  ConfigType(int wireId, String expected) {
    this.wireId = (byte) wireId;
    this.expected = expected;
  }

  /** The number of the type on the wire. */
  public byte wireId() {
    return wireId;
  }

  /** What a text of this type must be, for messages. */
  public String expected() {
    return expected;
  }

  /**
   * Reads a value: a Boolean, String, Integer, Short, Long, Double or List of String.
   *
   * @throws IllegalArgumentException where the text is none of this type
   */
  public Object parse(String text) {
    String trimmed = text.trim();
    return switch (this) {
      case BOOLEAN -> parseBoolean(trimmed);
      case INT -> Integer.valueOf(trimmed);
      case SHORT -> Short.valueOf(trimmed);
      case LONG -> Long.valueOf(trimmed);
      case DOUBLE -> Double.valueOf(trimmed);
      case LIST -> parseList(trimmed);
      case STRING, CLASS -> trimmed;
      case PASSWORD -> text;
    };
  }

  /** Returns the parts of a list; none where the text is empty. */
  public static List<String> parseList(String text) {
    return text.isBlank() ? List.of() : Arrays.stream(text.split(",")).map(String::trim).toList();
  }

  private static Boolean parseBoolean(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> Boolean.TRUE;
      case "false" -> Boolean.FALSE;
      default -> throw new IllegalArgumentException(text);
    };
  }
}
