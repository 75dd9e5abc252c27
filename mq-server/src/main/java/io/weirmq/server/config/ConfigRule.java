package io.weirmq.server.config;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * What a configuration value must satisfy besides its type. Immutable.
 *
 * @param allowed what is allowed, for messages and the documentation; empty where everything is
 * @param test tells whether a value, as {@link ConfigType#parse} gives it, is allowed
 */
public record ConfigRule(String allowed, Predicate<Object> test) {

  /** Allows everything. */
  public static final ConfigRule ANY = new ConfigRule("", value -> true);

  /** Allows texts that are not blank. */
  public static final ConfigRule NOT_BLANK =
      new ConfigRule("not empty", value -> !value.toString().isBlank());

  /** Returns a rule that allows numbers from a bound on. */
  public static ConfigRule atLeast(long min) {
    return new ConfigRule(min + " or more", value -> ((Number) value).longValue() >= min);
  }

  /** Returns a rule that allows numbers between two bounds, which are included. */
  public static ConfigRule between(double min, double max) {
    String allowed = "from %s to %s".formatted(shortest(min), shortest(max));
    return new ConfigRule(
        allowed,
        value -> ((Number) value).doubleValue() >= min && ((Number) value).doubleValue() <= max);
  }

  /** Returns a rule that allows some texts. */
  public static ConfigRule oneOf(String... texts) {
    List<String> allowed = List.of(texts);
    return new ConfigRule("one of " + String.join(", ", allowed), allowed::contains);
  }

  /** Returns a rule that allows lists of one or more of some texts, none of them twice. */
  public static ConfigRule someOf(String... texts) {
    List<String> allowed = List.of(texts);
    return new ConfigRule(
        "one or more of " + String.join(", ", allowed),
        value ->
            value instanceof List<?> list
                && !list.isEmpty()
                && allowed.containsAll(list)
                && list.stream().distinct().count() == list.size());
  }

  /** Returns a rule that allows one value alone, for what this broker can't do otherwise. */
  public static ConfigRule only(String text) {
    return new ConfigRule(
        "only " + (text.isEmpty() ? "the empty text" : text),
        value ->
            value instanceof List<?> list
                ? String.join(",", list.stream().map(Object::toString).toList()).equals(text)
                : value.toString().equals(text));
  }

  /** Returns a rule that allows whole powers of two between two bounds. */
  public static ConfigRule powerOfTwo(int min, int max) {
    return new ConfigRule(
        "a power of two from %d to %d".formatted(min, max),
        value -> {
          int number = ((Number) value).intValue();
          return number >= min && number <= max && Integer.bitCount(number) == 1;
        });
  }

  private static String shortest(double number) {
    return number == Math.rint(number)
        ? String.format(Locale.ROOT, "%d", (long) number)
        : Double.toString(number);
  }
}
