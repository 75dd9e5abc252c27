package io.weirmq.server.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** How many letters must be changed to make one word of another (Levenshtein). */
final class EditDistance {

  private EditDistance() {}

  /**
   * Returns the nearest word; empty where even that differs in more than a third of its letters.
   */
  static Optional<String> nearest(String word, Collection<String> words) {
    return words.stream()
        .min(Comparator.comparingInt(candidate -> between(word, candidate)))
        .filter(candidate -> between(word, candidate) <= Math.max(2, candidate.length() / 3));
  }

  static int between(String a, String b) {
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(previous[j], row[j - 1]) + 1);
      }
      previous = row;
    }
    return previous[b.length()];
  }
}
