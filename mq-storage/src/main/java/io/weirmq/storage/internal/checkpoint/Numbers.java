package io.weirmq.storage.internal.checkpoint;

import java.util.Optional;

/** Parses decimal numbers of state files. */
final class Numbers {

  private Numbers() {}

  /** Returns the number where the text is one and lies in the bounds. */
  static Optional<Long> parse(String text, long min, long max) {
    try {
      long number = Long.parseLong(text);
      return number >= min && number <= max ? Optional.of(number) : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
