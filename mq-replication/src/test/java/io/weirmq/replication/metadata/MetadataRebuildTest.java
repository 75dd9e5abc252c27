package io.weirmq.replication.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.survey.FolderSurvey;
import io.weirmq.storage.survey.SurveyedLog;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("ST-07 metadata made anew")
class MetadataRebuildTest {

  private static final int SELF = 3;
  private static final String CLUSTER = "Q2xlYW4gdGhlIGZpbHRlcg";
  private static final UUID OLD = new UUID(1, 1);
  private static final UUID NEW = new UUID(2, 2);
  private static final long NOW_MS = 1_700_000_000_000L;
  private static final Map<String, String> KEEP = Map.of("retention.ms", "-1");

  private final List<SurveyedLog> logs = new ArrayList<>();

  private void log(String topic, int partition, @Nullable UUID id, int epoch, long producerId) {
    logs.add(
        new SurveyedLog(
            Path.of("/data/" + topic + "-" + partition),
            new TopicPartition(topic, partition),
            Optional.ofNullable(id),
            epoch,
            producerId));
  }

  private MetadataRebuild rebuild(@Nullable MetadataImage previous, boolean complete) {
    FolderSurvey survey = new FolderSurvey(Path.of("/data"), Optional.of(CLUSTER), logs, List.of());
    return new MetadataRebuild(
        Optional.ofNullable(previous),
        List.of(survey),
        complete,
        SELF,
        new RebuildSources(
            List.of(Path.of("/data")),
            topic -> KEEP,
            InstantSource.fixed(Instant.ofEpochMilli(NOW_MS))));
  }

  private static MetadataImage.Builder previous() {
    return new MetadataImage.Builder(CLUSTER, SELF, 70);
  }

  private static TopicMetadata topic(String name, UUID id, int partitions, int epoch) {
    List<PartitionMetadata> list = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      list.add(PartitionMetadata.created(List.of(SELF)).withLeaderEpoch(epoch));
    }
    return new TopicMetadata(name, id, list, Map.of("cleanup.policy", "compact"));
  }

  @Test
  void foldersTellTopicsIdsPartitionsAndEpochs() {
    log("orders", 0, OLD, 4, -1);
    log("orders", 2, OLD, 9, 77);
    log("bills", 0, NEW, -1, -1);

    MetadataRebuild rebuild = rebuild(null, true);
    MetadataImage image = rebuild.image();

    assertThat(image.clusterId()).isEqualTo(CLUSTER);
    assertThat(image.controllerId()).isEqualTo(SELF);
    TopicMetadata orders = image.topic("orders").orElseThrow();
    assertThat(orders.id()).isEqualTo(OLD);
    assertThat(orders.configs()).isEqualTo(KEEP);
    assertThat(orders.partitions())
        .extracting(PartitionMetadata::leaderEpoch)
        .containsExactly(1004, 1000, 1009);
    assertThat(orders.partitions())
        .allMatch(partition -> partition.replicas().equals(List.of(SELF)));
    assertThat(image.topic("bills").orElseThrow().partitionCount()).isEqualTo(1);
    assertThat(rebuild.configsLost()).containsExactly("bills", "orders");
  }

  @Test
  void producerIdsGoOnAboveAllThatAnythingTells() {
    assertThat(rebuild(null, true).image().nextProducerId())
        .as("the clock")
        .isEqualTo(1_700_000_000_000_000L);
    log("orders", 0, OLD, 0, 1_700_000_000_000_000L);
    assertThat(rebuild(null, true).image().nextProducerId())
        .as("a log")
        .isEqualTo(1_700_001_000_000_001L);
    MetadataImage before = previous().nextProducerId(1_900_000_000_000_000L).build();
    assertThat(rebuild(before, true).image().nextProducerId())
        .as("the earlier image")
        .isEqualTo(1_900_000_000_000_000L);
  }

  @Test
  void theEarlierImageAddsWhatNoFolderTells() {
    log("orders", 0, OLD, 4, -1);
    MetadataImage before =
        previous()
            .topic(topic("orders", OLD, 2, 30))
            .brokerConfigs(OptionalInt.empty(), Map.of("log.retention.ms", "5"))
            .deletedTopic(NEW)
            .build();

    MetadataRebuild rebuild = rebuild(before, true);
    MetadataImage image = rebuild.image();

    TopicMetadata orders = image.topic("orders").orElseThrow();
    assertThat(orders.configs()).containsExactly(Map.entry("cleanup.policy", "compact"));
    assertThat(orders.partitions())
        .extracting(PartitionMetadata::leaderEpoch)
        .containsExactly(1030, 1030);
    assertThat(image.brokerConfigs(OptionalInt.empty()))
        .containsExactly(Map.entry("log.retention.ms", "5"));
    assertThat(image.deletedTopics()).containsExactly(NEW);
    assertThat(image.version()).isEqualTo(70);
    assertThat(rebuild.configsOfPrevious()).containsExactly("orders");
    assertThat(rebuild.configsLost()).isEmpty();
  }

  @Test
  void aTopicThatWasBeingDeletedStaysDeleted() {
    log("orders", 0, OLD, 4, -1);
    MetadataRebuild rebuild = rebuild(previous().deletedTopic(OLD).build(), true);

    assertThat(rebuild.image().topics()).isEmpty();
    assertThat(rebuild.deleted()).containsExactly("orders");
    assertThat(rebuild.strays()).isEmpty();
  }

  @Test
  void aTopicWithoutAnyFolderIsDroppedWhereNoFolderIsMissing() {
    MetadataImage before = previous().topic(topic("orders", OLD, 1, 0)).build();

    MetadataRebuild complete = rebuild(before, true);
    assertThat(complete.image().topics()).isEmpty();
    assertThat(complete.dropped()).containsExactly("orders");
    MetadataRebuild incomplete = rebuild(before, false);
    assertThat(incomplete.image().topic(OLD)).isPresent();
    assertThat(incomplete.dropped()).isEmpty();
  }

  @Test
  void ofTwoIdsTheLaterIsTheTopicsAndTheOtherIsSetAside() {
    log("orders", 0, OLD, 4, -1);
    log("orders", 1, OLD, 4, -1);
    log("orders", 2, NEW, 1, -1);

    MetadataRebuild later = rebuild(previous().topic(topic("orders", OLD, 2, 3)).build(), true);
    assertThat(later.image().topic("orders").orElseThrow().id()).isEqualTo(NEW);
    assertThat(later.strays())
        .extracting(SurveyedLog::partition)
        .containsExactly(new TopicPartition("orders", 0), new TopicPartition("orders", 1));

    MetadataRebuild most = rebuild(null, true);
    assertThat(most.image().topic("orders").orElseThrow().id()).isEqualTo(OLD);
    assertThat(most.strays())
        .extracting(SurveyedLog::partition)
        .containsExactly(new TopicPartition("orders", 2));
  }

  @Test
  void aPartitionWithoutIdBelongsToTheTopicOfItsName() {
    log("orders", 0, OLD, 0, -1);
    log("orders", 1, null, 6, -1);
    log("bills", 0, null, 0, -1);
    log("known", 0, null, 0, -1);

    MetadataRebuild rebuild = rebuild(previous().topic(topic("known", NEW, 1, 0)).build(), true);
    MetadataImage image = rebuild.image();

    assertThat(image.topic(OLD).orElseThrow().partitions())
        .extracting(PartitionMetadata::leaderEpoch)
        .containsExactly(1000, 1006);
    assertThat(image.topic("known").orElseThrow().id()).isEqualTo(NEW);
    assertThat(image.topic("bills").orElseThrow().id()).isNotIn(OLD, NEW, TopicIds.ZERO);
    assertThat(rebuild.idsLost()).containsExactlyInAnyOrder("bills", "known");
  }

  @Test
  void aFolderThatWasCopiedUnderAnotherNameIsNoTopic() {
    log("a-copy", 0, OLD, 0, -1);
    log("orders", 0, OLD, 0, -1);

    MetadataRebuild rebuild = rebuild(previous().topic(topic("orders", OLD, 1, 0)).build(), true);

    assertThat(rebuild.image().topics()).extracting(TopicMetadata::name).containsExactly("orders");
    assertThat(rebuild.copies()).containsExactly("a-copy");
    assertThat(rebuild.strays()).isEmpty();
  }

  @Test
  void namesAndNumbersThatNoTopicHasAreLeftAlone() {
    log("two words", 0, OLD, 0, -1);
    log("orders", 100_000, NEW, 0, -1);

    MetadataRebuild rebuild = rebuild(null, true);

    assertThat(rebuild.image().topics()).isEmpty();
    assertThat(rebuild.unbelievable()).containsExactly("/data/two words-0", "/data/orders-100000");
  }

  @Test
  void anEpochAtTheEndOfItsRangeDoesNotOverflow() {
    log("orders", 0, OLD, Integer.MAX_VALUE, -1);

    int epoch =
        rebuild(null, true).image().topic(OLD).orElseThrow().partitions().get(0).leaderEpoch();

    assertThat(epoch).isPositive().isLessThan(Integer.MAX_VALUE);
  }
}
