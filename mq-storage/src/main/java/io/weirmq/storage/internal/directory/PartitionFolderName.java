package io.weirmq.storage.internal.directory;

import io.weirmq.storage.TopicPartition;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of partition folders: {@code <topic>-<partition>}, of those to be removed, and of those
 * that are set aside.
 */
public final class PartitionFolderName {

  private static final int NAME_LENGTH_MAX = 255;
  private static final String DELETE_SUFFIX = "-delete";
  private static final String STRAY_SUFFIX = "-stray";
  private static final Pattern PARTITION = Pattern.compile("(.+)-(0|[1-9][0-9]{0,9})");
  private static final Pattern DELETED = Pattern.compile(".+\\.[0-9a-f]{32}-delete");

  private PartitionFolderName() {}

  static Optional<TopicPartition> parse(String name) {
    Matcher matcher = PARTITION.matcher(name);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long partition = Long.parseLong(matcher.group(2));
    return partition > Integer.MAX_VALUE
        ? Optional.empty()
        : Optional.of(new TopicPartition(matcher.group(1), (int) partition));
  }

  static boolean isDeleted(String name) {
    return DELETED.matcher(name).matches();
  }

  /** A name for a folder that is to be removed; the topic is cut so that the whole fits. */
  static String deleted(TopicPartition partition, UUID unique) {
    return withSuffix(partition, unique, DELETE_SUFFIX);
  }

  /** A name for a folder that is kept, but is no log's any more; cut in the same way. */
  public static String stray(TopicPartition partition, UUID unique) {
    return withSuffix(partition, unique, STRAY_SUFFIX);
  }

  private static String withSuffix(TopicPartition partition, UUID unique, String suffix) {
    String tail = "-" + partition.partition() + "." + unique.toString().replace("-", "") + suffix;
    String topic = partition.topic();
    int room = NAME_LENGTH_MAX - tail.length();
    return (topic.length() > room ? topic.substring(0, room) : topic) + tail;
  }
}
