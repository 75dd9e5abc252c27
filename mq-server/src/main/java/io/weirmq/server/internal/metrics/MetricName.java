package io.weirmq.server.internal.metrics;

import java.util.regex.Pattern;
import javax.management.ObjectName;

/**
 * The JMX name of a metric, {@code domain:type=...,name=...} with further keys behind it.
 * Immutable.
 *
 * @param text the name as JMX writes it; values with characters that mean something there are
 *     quoted
 */
public record MetricName(String text) {

  /** What needs no quotes; the same set as Kafka's, so that names are equal to the character. */
  private static final Pattern PLAIN = Pattern.compile("[\\w%. \\t-]*");

  /**
   * Makes a name without further keys.
   *
   * @param domain like {@code kafka.log}
   * @param type like {@code LogManager}
   * @param name like {@code OfflineLogDirectoryCount}
   */
  public static MetricName of(String domain, String type, String name) {
    return new MetricName(domain + ":type=" + type + ",name=" + name);
  }

  /** Returns this name with one more key at its end. */
  public MetricName with(String key, String value) {
    String written = PLAIN.matcher(value).matches() ? value : ObjectName.quote(value);
    return new MetricName(text + "," + key + "=" + written);
  }

  @Override
  public String toString() {
    return text;
  }
}
