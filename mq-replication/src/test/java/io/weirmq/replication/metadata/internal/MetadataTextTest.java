package io.weirmq.replication.metadata.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.PartitionMetadata;
import io.weirmq.replication.metadata.TopicMetadata;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MetadataTextTest {

  private static final String BODY =
      """
      weirmq-metadata 1
      broker 0
      cluster dGhpcyBpcyBhIGNsdXN0ZQ
      version 42
      next-producer-id 3000
      topic orders AAAAAAAAAAAAAAAAAAAAAQ 1
      partition 0 leader 0 epoch 3 replicas 0,1 isr 0
      """;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void readingIsTheInverseOfWriting(long seed) throws DamagedMetadataException {
    Random random = new Random(seed);
    for (int round = 0; round < 50; round++) {
      MetadataImage image = image(random);

      assertThat(MetadataText.decode(MetadataText.encode(image)))
          .as("seed %d, round %d", seed, round)
          .isEqualTo(image);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyFlippedBitIsNoticed(long seed) {
    Random random = new Random(seed);
    byte[] bytes = MetadataText.encode(image(random));
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= (byte) (1 << random.nextInt(8));

      assertThatThrownBy(() -> MetadataText.decode(damaged))
          .as("seed %d, byte %d", seed, i)
          .isInstanceOf(DamagedMetadataException.class);
    }
  }

  @Test
  void anyCutIsNoticed() {
    byte[] bytes = MetadataText.encode(image(new Random(5)));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(bytes, length);

      assertThatThrownBy(() -> MetadataText.decode(cut))
          .as("length %d", length)
          .isInstanceOf(DamagedMetadataException.class);
    }
  }

  @Test
  void aSoundTextIsRead() throws DamagedMetadataException {
    MetadataImage image = decode(BODY);

    assertThat(image.version()).isEqualTo(42);
    assertThat(image.topic("orders").orElseThrow().partitions())
        .containsExactly(new PartitionMetadata(0, 3, List.of(0, 1), List.of(0)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "broker 0|broker x|line 2, byte 18|For input string",
        "version 42|versio 42|line 4, byte 58|'version' and one value",
        "partition 0|partition 1|line 7, byte 129|'partition 0 leader",
        "AQ 1|AQ 2|line 8|'partition 1 leader",
        "isr 0|isr 5|line 7|not a subset",
        "AAAAAAAAAQ|AAAA|line 6|expected 16",
        "next-producer-id 3000|next-producer-id 3000 1|line 5|one value",
      })
  void aTextThatMakesNoSenseNamesThePlace(
      String sound, String broken, String place, String detail) {
    assertThatThrownBy(() -> decode(BODY.replace(sound, broken)))
        .isInstanceOf(DamagedMetadataException.class)
        .hasMessageContaining(place)
        .hasMessageContaining(detail)
        .hasMessageContaining("found");
  }

  @Test
  void anotherFormatIsRefused() {
    assertThatThrownBy(() -> decode(BODY.replace("weirmq-metadata 1", "weirmq-metadata 2")))
        .hasMessageContaining("line 1, byte 0")
        .hasMessageContaining("'weirmq-metadata 1'")
        .hasMessageContaining("'weirmq-metadata 2'");
  }

  private static MetadataImage decode(String body) throws DamagedMetadataException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    String text = body + "crc32c 0x%08x\n".formatted(MetadataText.checksum(bytes));
    return MetadataText.decode(text.getBytes(StandardCharsets.UTF_8));
  }

  private static MetadataImage image(Random random) {
    MetadataImage.Builder image =
        new MetadataImage.Builder("dGhpcyBpcyBhIGNsdXN0ZQ", 3, random.nextInt(1000));
    image.nextProducerId(random.nextLong(1L << 60));
    image.brokerConfigs(OptionalInt.empty(), configs(random));
    image.brokerConfigs(OptionalInt.of(3), configs(random));
    int topics = random.nextInt(5);
    for (int i = 0; i < topics; i++) {
      image.topic(
          new TopicMetadata(
              "topic-" + i,
              new UUID(random.nextLong(), random.nextLong()),
              partitions(random),
              configs(random)));
    }
    if (random.nextBoolean()) {
      image.deletedTopic(new UUID(random.nextLong(), random.nextLong()));
    }
    return image.build();
  }

  private static List<PartitionMetadata> partitions(Random random) {
    List<PartitionMetadata> partitions = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      List<Integer> isr = random.nextBoolean() ? List.of(3) : List.of();
      partitions.add(
          new PartitionMetadata(
              random.nextBoolean() ? 3 : -1, random.nextInt(100), List.of(3, 4), isr));
    }
    return partitions;
  }

  private static Map<String, String> configs(Random random) {
    Map<String, String> configs = new HashMap<>();
    String[] values = {"", " ", "a b", "line\nfeed", "c\\n", "\r\n", "\\", "\u00e9\u4e16", "a,b"};
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      configs.put("key." + i, values[random.nextInt(values.length)]);
    }
    return configs;
  }
}
