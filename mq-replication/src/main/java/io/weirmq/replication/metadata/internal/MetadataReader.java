package io.weirmq.replication.metadata.internal;

import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.PartitionMetadata;
import io.weirmq.replication.metadata.TopicIds;
import io.weirmq.replication.metadata.TopicMetadata;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;

/** Reads one metadata text from front to end. Confined to one thread. */
final class MetadataReader {

  private static final int SHOWN_LENGTH_MAX = 80;

  private final byte[] bytes;
  private final String[] lines;
  private int next;

  MetadataReader(byte[] bytes) {
    this.bytes = bytes;
    this.lines = new String(bytes, StandardCharsets.UTF_8).split("\n", -1);
  }

  MetadataImage read() throws DamagedMetadataException {
    checkFormat();
    checkChecksum();
    try {
      return readChecked();
    } catch (IllegalArgumentException e) {
      throw damaged("a statement that makes sense (" + e.getMessage() + ")", next - 1);
    }
  }

  private MetadataImage readChecked() throws DamagedMetadataException {
    next = 1;
    int brokerId = Integer.parseInt(only("broker"));
    String clusterId = only("cluster");
    long version = Long.parseLong(only("version"));
    MetadataImage.Builder image = new MetadataImage.Builder(clusterId, brokerId, version);
    image.nextProducerId(Long.parseLong(only("next-producer-id")));
    readBrokerConfigs(image);
    while (peek().startsWith("topic ")) {
      image.topic(readTopic());
    }
    while (peek().startsWith("deleted ")) {
      image.deletedTopic(id(only("deleted")));
    }
    if (!peek().startsWith(MetadataText.CHECKSUM)) {
      throw damaged("topic, deleted or crc32c", next);
    }
    return image.build();
  }

  private void checkFormat() throws DamagedMetadataException {
    if (!lines[0].equals(MetadataText.FORMAT)) {
      throw damaged("'" + MetadataText.FORMAT + "'", 0);
    }
  }

  private void checkChecksum() throws DamagedMetadataException {
    int last = lines.length - 2;
    if (last < 1
        || !lines[lines.length - 1].isEmpty()
        || !lines[last].startsWith(MetadataText.CHECKSUM)) {
      throw damaged("a last line with the checksum", Math.max(0, lines.length - 1));
    }
    String stored = lines[last].substring(MetadataText.CHECKSUM.length());
    int covered = bytes.length - lines[last].getBytes(StandardCharsets.UTF_8).length - 1;
    if (covered < 0) {
      throw damaged("UTF-8", last);
    }
    String computed = "0x%08x".formatted(MetadataText.checksum(Arrays.copyOf(bytes, covered)));
    if (!stored.equals(computed)) {
      throw new DamagedMetadataException(
          "checksum mismatch at line %d, byte %d: expected %s (stored), computed %s over %d bytes"
              .formatted(last + 1, covered, shortened(stored), computed, covered));
    }
  }

  private void readBrokerConfigs(MetadataImage.Builder image) throws DamagedMetadataException {
    Map<String, Map<String, String>> byBroker = new HashMap<>();
    while (peek().startsWith("broker-config ")) {
      String[] parts = line().split(" ", 4);
      requireParts(parts, 4, "broker-config, broker, key and value");
      byBroker.computeIfAbsent(parts[1], k -> new HashMap<>()).put(parts[2], unescaped(parts[3]));
    }
    byBroker.forEach(
        (broker, configs) ->
            image.brokerConfigs(
                broker.equals("all")
                    ? OptionalInt.empty()
                    : OptionalInt.of(Integer.parseInt(broker)),
                configs));
  }

  private TopicMetadata readTopic() throws DamagedMetadataException {
    String[] parts = line().split(" ", -1);
    requireParts(parts, 4, "topic, name, id and number of partitions");
    UUID id = id(parts[2]);
    int count = Integer.parseInt(parts[3]);
    Map<String, String> configs = new HashMap<>();
    while (peek().startsWith("config ")) {
      String[] config = line().split(" ", 3);
      requireParts(config, 3, "config, key and value");
      configs.put(config[1], unescaped(config[2]));
    }
    List<PartitionMetadata> partitions = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      partitions.add(readPartition(number));
    }
    return new TopicMetadata(parts[1], id, partitions, configs);
  }

  private PartitionMetadata readPartition(int number) throws DamagedMetadataException {
    String[] parts = line().split(" ", -1);
    boolean sound =
        parts.length == 10
            && parts[0].equals("partition")
            && parts[1].equals(Integer.toString(number))
            && parts[2].equals("leader")
            && parts[4].equals("epoch")
            && parts[6].equals("replicas")
            && parts[8].equals("isr");
    if (!sound) {
      throw damaged("'partition %d leader . epoch . replicas . isr .'".formatted(number), next - 1);
    }
    return new PartitionMetadata(
        Integer.parseInt(parts[3]),
        Integer.parseInt(parts[5]),
        numbers(parts[7]),
        numbers(parts[9]));
  }

  private String only(String name) throws DamagedMetadataException {
    String[] parts = line().split(" ", -1);
    if (parts.length != 2 || !parts[0].equals(name)) {
      throw damaged("'" + name + "' and one value", next - 1);
    }
    return parts[1];
  }

  private String peek() {
    return next < lines.length ? lines[next] : "";
  }

  private String line() throws DamagedMetadataException {
    if (next >= lines.length) {
      throw damaged("one more line", next);
    }
    return lines[next++];
  }

  private void requireParts(String[] parts, int count, String expected)
      throws DamagedMetadataException {
    if (parts.length != count) {
      throw damaged(expected, next - 1);
    }
  }

  private static UUID id(String text) {
    return TopicIds.fromText(text);
  }

  private static List<Integer> numbers(String text) {
    return text.equals("-")
        ? List.of()
        : Arrays.stream(text.split(",", -1)).map(Integer::valueOf).toList();
  }

  private static String unescaped(String value) {
    if (value.indexOf('\\') < 0) {
      return value;
    }
    StringBuilder plain = new StringBuilder(value.length());
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c != '\\' || i + 1 == value.length()) {
        plain.append(c);
        continue;
      }
      char escaped = value.charAt(++i);
      plain.append(escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped);
    }
    return plain.toString();
  }

  private DamagedMetadataException damaged(String expected, int line) {
    long position = 0;
    for (int i = 0; i < Math.min(line, lines.length); i++) {
      position += lines[i].getBytes(StandardCharsets.UTF_8).length + 1;
    }
    String found = line < lines.length ? "'" + shortened(lines[line]) + "'" : "the end";
    return new DamagedMetadataException(
        "line %d, byte %d: expected %s, found %s".formatted(line + 1, position, expected, found));
  }

  private static String shortened(String text) {
    return text.length() <= SHOWN_LENGTH_MAX ? text : text.substring(0, SHOWN_LENGTH_MAX) + "...";
  }
}
