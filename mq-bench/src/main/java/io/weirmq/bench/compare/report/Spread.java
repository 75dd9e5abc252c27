package io.weirmq.bench.compare.report;

import java.util.Collection;

/**
 * Smallest, middle and largest of some values. Immutable.
 *
 * @param min the smallest
 * @param median the middle one; of an even number of values the mean of the two in the middle
 * @param max the largest
 * @param count number of values
 */
public record Spread(double min, double median, double max, int count) {

  /**
   * Sums values up.
   *
   * @throws IllegalArgumentException where there are none
   */
  public static Spread of(Collection<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("no values have no spread");
    }
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(sorted[0], median, sorted[sorted.length - 1], sorted.length);
  }
}
