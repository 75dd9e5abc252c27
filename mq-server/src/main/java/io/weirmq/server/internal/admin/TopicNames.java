package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.TopicMetadata;
import java.util.Optional;
import java.util.Set;

/** Rules for the names of topics. */
public final class TopicNames {

  /** The longest name. */
  public static final int LENGTH_MAX = 249;

  private static final Set<String> INTERNAL =
      Set.of("__consumer_offsets", "__transaction_state", "__share_group_state");

  private TopicNames() {}

  /** Whether a topic belongs to the broker itself. */
  public static boolean isInternal(String name) {
    return INTERNAL.contains(name);
  }

  /** Returns what is wrong with a name; empty where nothing is. */
  public static Optional<String> problemWith(String name) {
    if (name.isEmpty()) {
      return Optional.of("Topic name is invalid: the empty string is not allowed");
    }
    if (name.equals(".") || name.equals("..")) {
      return Optional.of("Topic name is invalid: '.' and '..' are not allowed");
    }
    if (name.length() > LENGTH_MAX) {
      return Optional.of(
          "Topic name is invalid: the length of '%s' is %d, at most %d are allowed"
              .formatted(name.substring(0, LENGTH_MAX) + "...", name.length(), LENGTH_MAX));
    }
    if (!name.chars().allMatch(TopicNames::isLegal)) {
      return Optional.of(
          "Topic name is invalid: '%s' has characters other than ASCII letters, digits, '.', '_'"
                  .formatted(name)
              + " and '-'");
    }
    return Optional.empty();
  }

  /**
   * Checks a name.
   *
   * @throws RefusedException where it is not legal
   */
  public static void check(String name) throws RefusedException {
    Optional<String> problem = problemWith(name);
    if (problem.isPresent()) {
      throw new RefusedException(ErrorCode.INVALID_TOPIC_EXCEPTION, problem.get());
    }
  }

  /** Returns the name under which metrics and files may take two topics for one. */
  public static String folded(String name) {
    return name.replace('.', '_');
  }

  /** Returns an existing topic whose name differs in '.' and '_' only; empty where none does. */
  public static Optional<String> colliding(MetadataImage image, String name) {
    if (name.indexOf('.') < 0 && name.indexOf('_') < 0) {
      return Optional.empty();
    }
    String folded = folded(name);
    return image.topics().stream()
        .map(TopicMetadata::name)
        .filter(other -> other.length() == name.length() && !other.equals(name))
        .filter(other -> folded(other).equals(folded))
        .findFirst();
  }

  private static boolean isLegal(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }
}
