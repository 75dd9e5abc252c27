package io.weirmq.bench.compare.report;

import java.util.Locale;

/** Numbers for people: about three digits that tell something. Stateless. */
final class Numbers {

  private static final double THOUSAND = 1_000;
  private static final double HUNDRED = 100;
  private static final double TEN = 10;
  private static final double TENTH = 0.1;

  private Numbers() {}

  static String show(double value) {
    double size = Math.abs(value);
    String form;
    if (size >= THOUSAND) {
      form = "%,.0f";
    } else if (size >= HUNDRED) {
      form = "%.0f";
    } else if (size >= TEN) {
      form = "%.1f";
    } else if (size >= TENTH || size == 0) {
      form = "%.2f";
    } else {
      form = "%.4f";
    }
    return String.format(Locale.ROOT, form, value);
  }

  /** Median with the smallest and the largest. */
  static String show(Spread spread) {
    return "%s (%s–%s)".formatted(show(spread.median()), show(spread.min()), show(spread.max()));
  }
}
