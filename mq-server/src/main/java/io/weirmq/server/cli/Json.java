package io.weirmq.server.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.PrintWriter;

/** Prints values as JSON for scripts. Safe for use by several threads. */
final class Json {

  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

  private Json() {}

  /** One line of JSON. */
  static String line(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a result can't be written as JSON: " + value, e);
    }
  }

  /** Prints a value over several lines. */
  static void print(PrintWriter out, Object value) {
    try {
      out.println(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a result can't be written as JSON: " + value, e);
    }
  }
}
