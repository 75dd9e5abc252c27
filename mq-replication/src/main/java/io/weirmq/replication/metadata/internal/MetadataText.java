package io.weirmq.replication.metadata.internal;

import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.PartitionMetadata;
import io.weirmq.replication.metadata.TopicIds;
import io.weirmq.replication.metadata.TopicMetadata;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * Writes an image as text, and reads it back. Immutable.
 *
 * <p>UTF-8, one statement per line, parts with one space between them, topics by name:
 *
 * <pre>
 *   weirmq-metadata 1                            format and its version
 *   broker 0                                     the broker whose file it is
 *   cluster dGhpcyBpcyBhIGNsdXN0                 cluster id
 *   version 42                                   number of changes so far
 *   next-producer-id 3000                        first id that was never given out
 *   broker-config all log.retention.ms 1000      key and value, for all brokers or one
 *   topic orders Q2xlYW4gdGhlIGZpbHRlcg 2        name, id, number of partitions; below it:
 *   config cleanup.policy compact                  key and value
 *   partition 0 leader 0 epoch 3 replicas 0 isr 0  numbers with commas between them, - for none
 *   partition 1 leader 0 epoch 3 replicas 0 isr 0
 *   deleted AAAAAAAAAAAAAAAAAAAAAQ               id of a deleted topic whose files may be there
 *   crc32c 0x1b2c3d4e                            over all bytes before this line
 * </pre>
 *
 * <p>A value ends with its line; a backslash in it is written {@code \\}, a line feed {@code \n}, a
 * carriage return {@code \r}. A file whose checksum, order or numbers are wrong is refused whole.
 */
public final class MetadataText {

  /** The version of the format that is written, and the latest that can be read. */
  static final int VERSION = 1;

  private static final Pattern ANY_FORMAT = Pattern.compile("weirmq-metadata ([0-9]{1,9})");

  static final String FORMAT = "weirmq-metadata " + VERSION;
  static final String CHECKSUM = "crc32c ";

  private MetadataText() {}

  /** Returns the text of an image, as bytes. */
  public static byte[] encode(MetadataImage image) {
    StringBuilder text = new StringBuilder(256);
    line(text, FORMAT);
    line(text, "broker " + image.controllerId());
    line(text, "cluster " + image.clusterId());
    line(text, "version " + image.version());
    line(text, "next-producer-id " + image.nextProducerId());
    configs(text, "broker-config all ", image.brokerConfigs(OptionalInt.empty()));
    new TreeMap<>(image.brokerConfigs())
        .forEach((id, set) -> configs(text, "broker-config " + id + " ", set));
    image.topics().stream()
        .sorted(Comparator.comparing(TopicMetadata::name))
        .forEach(topic -> topic(text, topic));
    image.deletedTopics().stream()
        .sorted()
        .forEach(id -> line(text, "deleted " + TopicIds.toText(id)));
    long checksum = checksum(text.toString().getBytes(StandardCharsets.UTF_8));
    line(text, CHECKSUM + "0x%08x".formatted(checksum));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns the image of a text.
   *
   * @throws DamagedMetadataException where anything is wrong with it
   */
  public static MetadataImage decode(byte[] bytes) throws DamagedMetadataException {
    return new MetadataReader(bytes).read();
  }

  /**
   * Returns the image of a text with something behind it that is none.
   *
   * @return empty where no beginning is an image, or the text is one itself
   */
  static Optional<MetadataImage> decodeBeginning(byte[] bytes) {
    // Bytes as characters: positions are those of the bytes, whatever lies there.
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int line = text.indexOf('\n' + CHECKSUM);
    int end = line < 0 ? -1 : text.indexOf('\n', line + 1);
    if (end < 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(decode(Arrays.copyOf(bytes, end + 1)));
    } catch (DamagedMetadataException e) {
      return Optional.empty();
    }
  }

  /** Returns the version in the first line; 0 where that has none. */
  static int versionOf(byte[] bytes) {
    String text = new String(bytes, 0, Math.min(bytes.length, 80), StandardCharsets.ISO_8859_1);
    Matcher first = ANY_FORMAT.matcher(text.lines().findFirst().orElse(""));
    return first.matches() ? Integer.parseInt(first.group(1)) : 0;
  }

  static long checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length);
    return crc.getValue();
  }

  private static void topic(StringBuilder text, TopicMetadata topic) {
    line(
        text, "topic %s %s %d".formatted(topic.name(), idText(topic.id()), topic.partitionCount()));
    configs(text, "config ", topic.configs());
    int number = 0;
    for (PartitionMetadata partition : topic.partitions()) {
      text.append("partition ").append(number++);
      text.append(" leader ").append(partition.leader());
      text.append(" epoch ").append(partition.leaderEpoch());
      text.append(" replicas ").append(numbers(partition.replicas()));
      text.append(" isr ").append(numbers(partition.isr())).append('\n');
    }
  }

  private static String idText(UUID id) {
    return TopicIds.toText(id);
  }

  private static void configs(StringBuilder text, String prefix, Map<String, String> configs) {
    new TreeMap<>(configs).forEach((key, value) -> line(text, prefix + key + " " + escaped(value)));
  }

  private static String numbers(List<Integer> numbers) {
    return numbers.isEmpty()
        ? "-"
        : numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
  }

  private static void line(StringBuilder text, String line) {
    text.append(line).append('\n');
  }
}
