package io.weirmq.bench.compare.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** Reports as JSON: the fields are those of {@link Report}. Stateless. */
public final class ReportJson {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
          .build();

  private ReportJson() {}

  /** Writes a report. */
  public static String write(Report report) {
    try {
      return MAPPER.writeValueAsString(report) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a report can't be written as JSON", e);
    }
  }

  /**
   * Reads a report.
   *
   * @throws IllegalArgumentException where the text is no report of a known format; the message
   *     says where
   */
  public static Report read(String json) {
    try {
      return MAPPER.readValue(json, Report.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a report: " + e.getMessage(), e);
    }
  }
}
