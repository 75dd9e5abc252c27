package io.weirmq.bench.compare.run;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * What was built. Immutable.
 *
 * @param version of this project
 * @param commit what was checked out when it was built, with {@code -dirty} where files differed;
 *     {@value #UNKNOWN} where it was built without Git
 */
public record BuildFacts(String version, String commit) {

  private static final String UNKNOWN = "unknown";
  private static final String FILE = "build.properties";

  /** Those of the running code, as its build wrote them down. */
  public static BuildFacts ofThisBuild() throws IOException {
    try (InputStream file = BuildFacts.class.getResourceAsStream(FILE)) {
      return read(file);
    }
  }

  /**
   * Reads what a build wrote down.
   *
   * @param file null where it wrote nothing
   */
  static BuildFacts read(@Nullable InputStream file) throws IOException {
    Properties properties = new Properties();
    if (file != null) {
      properties.load(file);
    }
    return new BuildFacts(value(properties, "version"), value(properties, "commit"));
  }

  private static String value(Properties properties, String name) {
    String value = properties.getProperty(name, "");
    return value.isBlank() ? UNKNOWN : value.strip();
  }
}
