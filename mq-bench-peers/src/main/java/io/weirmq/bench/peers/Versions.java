package io.weirmq.bench.peers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** Versions of the libraries of others, as the build wrote them down. Stateless. */
final class Versions {

  private static final String FILE = "versions.properties";
  private static final Map<String, String> ALL = load();

  private Versions() {}

  /**
   * The version of a library.
   *
   * @throws IllegalArgumentException where the build names none
   */
  static String of(String library) {
    String version = ALL.get(library);
    if (version == null) {
      throw new IllegalArgumentException(
          "%s has no version of '%s', it has %s".formatted(FILE, library, ALL.keySet()));
    }
    return version;
  }

  private static Map<String, String> load() {
    try (InputStream file = Versions.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IllegalStateException(FILE + " is not on the class path");
      }
      Properties properties = new Properties();
      properties.load(file);
      Map<String, String> versions = new HashMap<>();
      for (String library : properties.stringPropertyNames()) {
        versions.put(library, properties.getProperty(library));
      }
      return Map.copyOf(versions);
    } catch (IOException e) {
      throw new UncheckedIOException(FILE + " can't be read", e);
    }
  }
}
