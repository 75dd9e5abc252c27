package io.weirmq.protocol.generator;

/**
 * A closed range of message versions, as the schemas write it: {@code none}, {@code 3}, {@code
 * 3-5}, {@code 3+}.
 *
 * <p>Immutable.
 *
 * @param lowest first version of the range
 * @param highest last version of the range, {@link #OPEN} where it has no end; below {@code lowest}
 *     where the range is empty
 */
record Versions(int lowest, int highest) {

  /** The upper end of a range without end. */
  static final int OPEN = Short.MAX_VALUE;

  /** The empty range. */
  static final Versions NONE = new Versions(0, -1);

  Versions {
    if (highest < lowest) {
      lowest = 0;
      highest = -1;
    }
  }

  /**
   * Reads the notation of the schemas.
   *
   * @throws SchemaException where the text is not a range of versions
   */
  static Versions parse(String text) {
    String range = text.strip();
    if (range.equals("none")) {
      return NONE;
    }
    try {
      if (range.endsWith("+")) {
        return new Versions(Integer.parseInt(range.substring(0, range.length() - 1)), OPEN);
      }
      int dash = range.indexOf('-');
      if (dash < 0) {
        int only = Integer.parseInt(range);
        return new Versions(only, only);
      }
      return new Versions(
          Integer.parseInt(range.substring(0, dash)), Integer.parseInt(range.substring(dash + 1)));
    } catch (NumberFormatException e) {
      throw new SchemaException("not a range of versions: \"" + text + "\"", e);
    }
  }

  boolean isEmpty() {
    return highest < lowest;
  }

  boolean contains(int version) {
    return version >= lowest && version <= highest;
  }

  /** Whether each version of {@code other} is in this range; true for an empty {@code other}. */
  boolean covers(Versions other) {
    return other.isEmpty() || (other.lowest >= lowest && other.highest <= highest);
  }

  Versions intersect(Versions other) {
    return new Versions(Math.max(lowest, other.lowest), Math.min(highest, other.highest));
  }

  /** The versions of this range below {@code version}. */
  Versions below(int version) {
    return intersect(new Versions(0, version - 1));
  }

  /**
   * The Java condition on {@code version} that holds in this range, given that the version is in
   * {@code context}: {@code true}, {@code false}, or comparisons with the ends that matter.
   */
  String conditionWithin(Versions context) {
    Versions both = intersect(context);
    if (both.isEmpty()) {
      return "false";
    }
    boolean fromBelow = both.lowest > context.lowest;
    boolean toAbove = both.highest < context.highest;
    if (fromBelow && toAbove) {
      return both.lowest == both.highest
          ? "version == " + both.lowest
          : "version >= " + both.lowest + " && version <= " + both.highest;
    }
    if (fromBelow) {
      return "version >= " + both.lowest;
    }
    return toAbove ? "version <= " + both.highest : "true";
  }

  @Override
  public String toString() {
    if (isEmpty()) {
      return "none";
    }
    if (highest == OPEN) {
      return lowest + "+";
    }
    return lowest == highest ? Integer.toString(lowest) : lowest + "-" + highest;
  }
}
