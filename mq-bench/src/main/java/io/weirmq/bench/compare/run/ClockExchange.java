package io.weirmq.bench.compare.run;

/**
 * Readings of two clocks, one taken between two of the other. Immutable.
 *
 * <p>If both read the same clock, the foreign reading lies between the own ones; how far the clocks
 * can lie apart at most is what lies between these. If it does not, they are different clocks.
 *
 * @param beforeNs own reading before
 * @param foreignNs the other's reading
 * @param afterNs own reading after
 */
record ClockExchange(long beforeNs, long foreignNs, long afterNs) {

  boolean isSameClock() {
    return foreignNs - beforeNs >= 0 && afterNs - foreignNs >= 0;
  }

  long uncertaintyNs() {
    return afterNs - beforeNs;
  }
}
