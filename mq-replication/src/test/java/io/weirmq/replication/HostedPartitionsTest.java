package io.weirmq.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.replication.metadata.LocalMetadataStore;
import io.weirmq.replication.metadata.MetadataChange;
import io.weirmq.replication.metadata.MetadataChange.AddPartitions;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.replication.metadata.MetadataChange.DeleteTopic;
import io.weirmq.replication.metadata.MetadataChange.SetBrokerConfigs;
import io.weirmq.replication.metadata.MetadataChange.SetTopicConfigs;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.testkit.storage.FileOperation;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HostedPartitionsTest {

  private static final int SELF = 1;
  private static final UUID FIRST = new UUID(10, 1);
  private static final UUID SECOND = new UUID(10, 2);

  private final InMemoryFileSystem files = new InMemoryFileSystem();
  private final FakeDirectory directory = new FakeDirectory();
  private LocalMetadataStore store;
  private HostedPartitions hosted;

  @BeforeEach
  void start() throws IOException {
    files.createDirectoriesDurably(Path.of("/data"));
    store = LocalMetadataStore.open(Path.of("/data/metadata"), files, Runnable::run, SELF);
    hosted =
        HostedPartitions.open(
            SELF,
            store,
            List.of(directory),
            List.of(),
            List.of(new FakePipeline().eager(), new FakePipeline().eager()),
            new RetentionConfigs());
  }

  @Test
  void aCreatedTopicCanBeUsedWhenTheCreationIsAnswered() {
    apply(create("orders", FIRST, 3));

    assertThat(hosted.find("orders", 2)).isPresent();
    assertThat(hosted.find(FIRST, 2)).isEqualTo(hosted.find("orders", 2));
    assertThat(hosted.find("orders", 3)).isEmpty();
    assertThat(hosted.find("orders", -1)).isEmpty();
    assertThat(hosted.find(SECOND, 0)).isEmpty();
    assertThat(hosted.all()).hasSize(3);
    assertThat(directory.byName).hasSize(3);
  }

  @Test
  void partitionsOfOtherBrokersAreNotHosted() {
    apply(
        new CreateTopic("shared", FIRST, List.of(List.of(2), List.of(SELF), List.of(2)), Map.of()));

    assertThat(hosted.find("shared", 0)).isEmpty();
    assertThat(hosted.find("shared", 1)).isPresent();
    assertThat(directory.byName).containsOnlyKeys(new TopicPartition("shared", 1));
  }

  @Test
  void addedPartitionsJoinThePresentOnes() {
    apply(create("orders", FIRST, 1));
    Partition present = hosted.find("orders", 0).orElseThrow();

    apply(new AddPartitions(FIRST, 1, Collections.nCopies(2, List.of(SELF))));

    assertThat(hosted.find("orders", 0)).containsSame(present);
    assertThat(hosted.find("orders", 2)).isPresent();
    assertThat(hosted.find(FIRST, 2)).isPresent();
  }

  @Test
  void op08_aTopicMadeAgainUnderTheSameNameIsAnotherOne() {
    apply(create("orders", FIRST, 1));
    Partition old = hosted.find("orders", 0).orElseThrow();
    old.tryAppend(ByteBuffer.allocate(1), AppendOrigin.CLIENT, (short) 1, result -> {});

    apply(new DeleteTopic(FIRST));

    assertThat(hosted.find("orders", 0)).isEmpty();
    assertThat(old.isClosed()).isTrue();
    assertThat(directory.deleted).extracting(FakeLog::topicId).containsExactly(FIRST);

    apply(create("orders", SECOND, 1));

    Partition fresh = hosted.find("orders", 0).orElseThrow();
    assertThat(fresh.topicId()).isEqualTo(SECOND);
    assertThat(fresh.log().logEndOffset()).isZero();
    assertThat(hosted.find(FIRST, 0)).isEmpty();
    List<ProduceResult> late = new ArrayList<>();
    old.tryAppend(ByteBuffer.allocate(1), AppendOrigin.CLIENT, (short) 1, late::add);
    assertThat(late).hasOnlyElementsOfType(ProduceResult.NotLeader.class);
    assertThat(fresh.log().logEndOffset()).isZero();
  }

  @Test
  void op08_whatADeletionLeftBehindIsRemovedAtTheNextStart() throws IOException {
    apply(create("orders", FIRST, 1));
    FakeLog leftover = directory.byName.get(new TopicPartition("orders", 0));
    hosted.close();
    apply(new DeleteTopic(FIRST));
    assertThat(store.image().deletedTopics()).containsExactly(FIRST);

    start();

    assertThat(directory.deleted).containsExactly(leftover);
    assertThat(directory.byName).isEmpty();
    assertThat(store.image().deletedTopics()).isEmpty();
  }

  @Test
  void op08_anOldLogUnderTheNameOfANewTopicIsSetAside() throws IOException {
    apply(create("orders", FIRST, 1));
    hosted.close();
    FakeLog stale = new FakeLog(new TopicPartition("orders", 0), SECOND, LogConfig.defaults());
    directory.put(stale);

    start();

    assertThat(directory.setAside).containsExactly(stale);
    assertThat(directory.deleted).isEmpty();
    assertThat(hosted.find("orders", 0).orElseThrow().topicId()).isEqualTo(FIRST);
  }

  @Test
  void aLogThatTheMetadataDoesNotKnowIsLeftAlone() throws IOException {
    hosted.close();
    FakeLog stray =
        directory.put(new FakeLog(new TopicPartition("lost", 0), SECOND, LogConfig.defaults()));

    start();

    assertThat(directory.byName).containsValue(stray);
    assertThat(hosted.all()).isEmpty();
  }

  @Test
  @DisplayName("ST-07 logs behind the last partition of their topic make it longer")
  void st07_logsBehindTheLastPartitionAddPartitions() throws IOException {
    apply(create("orders", FIRST, 1));
    hosted.close();
    FakeLog known =
        directory.put(new FakeLog(new TopicPartition("orders", 2), FIRST, LogConfig.defaults()));

    start();

    assertThat(store.image().topic(FIRST).orElseThrow().partitionCount()).isEqualTo(3);
    assertThat(hosted.find("orders", 2).orElseThrow().log()).isSameAs(known);
    assertThat(hosted.find("orders", 1)).isPresent();
  }

  @Test
  void changedConfigurationsReachTheLogs() {
    apply(create("orders", FIRST, 1));
    apply(create("bills", SECOND, 1));

    apply(new SetTopicConfigs(FIRST, Map.of(), Map.of("retention.ms", "5")));
    assertThat(retention("orders")).isEqualTo(5);
    assertThat(retention("bills")).isEqualTo(100);

    apply(new SetBrokerConfigs(OptionalInt.empty(), Map.of(), Map.of("retention.ms", "9")));
    assertThat(retention("orders")).isEqualTo(5);
    assertThat(retention("bills")).isEqualTo(9);
  }

  @Test
  void aPartitionWhoseLogCanNotBeMadeIsOffline() {
    directory.full = true;
    apply(create("orders", FIRST, 1));

    assertThat(hosted.find("orders", 0)).isEmpty();
    assertThat(hosted.offlineReason(new TopicPartition("orders", 0)))
        .hasValueSatisfying(e -> assertThat(e).hasMessageContaining("no space left"));

    directory.full = false;
    apply(new DeleteTopic(FIRST));
    assertThat(hosted.offlineReason(new TopicPartition("orders", 0))).isEmpty();
    apply(create("orders", SECOND, 1));
    assertThat(hosted.find("orders", 0)).isPresent();
  }

  @Test
  void st05_aLogThatCouldNotBeMadeIsMadeLater() {
    directory.full = true;
    apply(create("orders", FIRST, 3));
    hosted.checkFolders();
    assertThat(hosted.offlineCount()).isEqualTo(3);
    assertThat(hosted.all()).isEmpty();

    directory.full = false;
    hosted.checkFolders();

    assertThat(hosted.offlineCount()).isZero();
    assertThat(hosted.all()).hasSize(3);
    assertThat(hosted.find(FIRST, 2)).isEqualTo(hosted.find("orders", 2)).isPresent();
    assertThat(hosted.offlineReason(new TopicPartition("orders", 2))).isEmpty();
  }

  @Test
  void st10_aFailedFolderTakesItsPartitionsOfflineAndNoOther() throws IOException {
    FakeDirectory other = new FakeDirectory();
    hosted.close();
    hosted =
        HostedPartitions.open(
            SELF,
            store,
            List.of(directory, other),
            List.of(),
            List.of(new FakePipeline().eager()),
            new RetentionConfigs());
    apply(create("orders", FIRST, 2));
    assertThat(other.byName).hasSize(1);
    int lost = other.byName.keySet().iterator().next().partition();
    Partition taken = hosted.find("orders", lost).orElseThrow();

    StorageException cause = new StorageException("broken");
    other.failure = cause;
    hosted.checkFolders();
    hosted.checkFolders();

    assertThat(taken.isClosed()).isTrue();
    assertThat(hosted.find("orders", lost)).isEmpty();
    assertThat(hosted.find("orders", 1 - lost)).isPresent();
    assertThat(hosted.offlineReason(new TopicPartition("orders", lost))).containsSame(cause);
    assertThat(hosted.offlineCount()).isOne();
    assertThat(hosted.directories()).containsExactly(directory);
    assertThat(hosted.offlineFolders()).containsExactly(new OfflineFolder(other.path(), cause));

    apply(create("bills", SECOND, 4));
    assertThat(hosted.find("bills", 3)).isPresent();
    assertThat(other.byName).hasSize(1);

    apply(new DeleteTopic(FIRST));
    assertThat(hosted.offlineCount()).isZero();
    assertThat(other.deleted).as("the next start that finds the folder removes it").isEmpty();
    assertThat(store.image().deletedTopics()).containsExactly(FIRST);
  }

  @Test
  void aLogThatAFailureLeftEmptyBesideTheRealOneIsNotTaken() throws IOException {
    FakeDirectory other = new FakeDirectory();
    apply(create("orders", FIRST, 1));
    hosted
        .find("orders", 0)
        .orElseThrow()
        .tryAppend(ByteBuffer.allocate(1), AppendOrigin.CLIENT, (short) 1, result -> {});
    PartitionLog real = hosted.find("orders", 0).orElseThrow().log();
    assertThat(real.logEndOffset()).isPositive();
    hosted.close();
    other.create(new TopicPartition("orders", 0), FIRST, LogConfig.defaults());

    hosted =
        HostedPartitions.open(
            SELF,
            store,
            List.of(other, directory),
            List.of(),
            List.of(new FakePipeline().eager()),
            new RetentionConfigs());

    assertThat(hosted.find("orders", 0).orElseThrow().log()).isSameAs(real);
  }

  @Test
  void cc06_aRestartIsANewLeadershipAndOldMetadataIsCaughtUp() throws IOException {
    apply(create("orders", FIRST, 1));
    assertThat(hosted.find("orders", 0).orElseThrow().leaderEpoch()).isZero();
    hosted.close();
    store.close();

    start();
    assertThat(hosted.find("orders", 0).orElseThrow().leaderEpoch()).isEqualTo(1);

    hosted.close();
    store.close();
    directory.byName.values().forEach(log -> log.recovered(5, 5, 40));

    start();
    assertThat(hosted.find("orders", 0).orElseThrow().leaderEpoch()).isEqualTo(41);
  }

  @Test
  void startRaisesHighWatermarksOfManyPartitionsThroughASmallPipeline() throws IOException {
    apply(create("orders", FIRST, 200));
    hosted.close();
    directory.byName.values().forEach(log -> log.recovered(10, 3, 0));

    start();

    assertThat(hosted.all()).hasSize(200);
    assertThat(hosted.all()).allMatch(partition -> partition.log().highWatermark() == 10);
  }

  @Test
  void op07_fiveThousandPartitionsCostOneWriteOfTheMetadata() throws IOException {
    long before = forces();
    apply(create("big", FIRST, 5_000));
    assertThat(forces() - before).isEqualTo(1);
    assertThat(hosted.find("big", 4_999)).isPresent();
    hosted.close();
    store.close();

    before = forces();
    start();

    assertThat(hosted.all()).hasSize(5_000);
    assertThat(forces() - before).as("the file, and the copy beside it").isEqualTo(2);
  }

  /** How often bytes were forced. */
  private long forces() {
    return files.counts().operations(FileOperation.Kind.FORCE, path -> true);
  }

  @Test
  void maintenanceVisitsEveryLog() {
    apply(create("orders", FIRST, 3));
    hosted
        .all()
        .forEach(
            partition ->
                partition.tryAppend(
                    ByteBuffer.allocate(1), AppendOrigin.CLIENT, (short) 1, result -> {}));

    Maintenance maintenance = new Maintenance(hosted);
    maintenance.applyRetention(0);
    maintenance.expireProducers(0);
    maintenance.writeCheckpoints();
    maintenance.purgeDeleted(0);

    assertThat(hosted.all()).allMatch(partition -> partition.log().logStartOffset() == 1);
  }

  @Test
  void aRoundPutsAFewIdleLogsToRest() {
    apply(create("orders", FIRST, 11));
    List<FakeLog> logs = hosted.all().stream().map(partition -> (FakeLog) partition.log()).toList();
    logs.forEach(log -> log.restDueAtMs = 100);
    logs.get(3).restDueAtMs = 101;
    Maintenance maintenance = new Maintenance(hosted);

    maintenance.restIdle(99);
    assertThat(logs).allMatch(log -> log.rests == 0);
    for (int rested : List.of(4, 8, 10, 10)) {
      maintenance.restIdle(100);
      assertThat(logs.stream().mapToInt(log -> log.rests).sum()).isEqualTo(rested);
    }
    maintenance.restIdle(101);
    assertThat(logs).allMatch(log -> log.rests == 1);
  }

  @Test
  void closingClosesEveryPartitionAndChangesNothingOnTheDisk() {
    apply(create("orders", FIRST, 2));
    List<Partition> partitions = hosted.all();

    hosted.close();
    hosted.close();

    assertThat(partitions).allMatch(Partition::isClosed);
    assertThat(hosted.find("orders", 0)).isEmpty();
    assertThat(directory.byName).hasSize(2);
  }

  @Test
  void foldersAndPipelinesAreNeeded() {
    assertThatThrownBy(
            () ->
                HostedPartitions.open(
                    SELF, store, List.of(directory), List.of(), List.of(), new RetentionConfigs()))
        .hasMessageContaining("pipeline");
    assertThatThrownBy(
            () ->
                HostedPartitions.open(
                    SELF,
                    store,
                    List.of(),
                    List.of(),
                    List.of(new FakePipeline()),
                    new RetentionConfigs()))
        .hasMessageContaining("data folder");
  }

  private long retention(String topic) {
    return hosted.find(topic, 0).orElseThrow().log().config().retentionMs();
  }

  private void apply(MetadataChange change) {
    assertThat(store.apply(change).toCompletableFuture()).isCompleted();
  }

  private static CreateTopic create(String name, UUID id, int partitions) {
    return new CreateTopic(name, id, Collections.nCopies(partitions, List.of(SELF)), Map.of());
  }

  /** Knows one configuration, of topics and of all brokers. */
  private static final class RetentionConfigs implements PartitionConfigs {

    @Override
    public LogConfig logConfig(MetadataImage image, TopicMetadata topic) {
      String broker = image.brokerConfigs(OptionalInt.empty()).getOrDefault("retention.ms", "100");
      String value = topic.configs().getOrDefault("retention.ms", broker);
      return new LogConfig.Builder().retentionMs(Long.parseLong(value)).build();
    }

    @Override
    public int minInSyncReplicas(MetadataImage image, TopicMetadata topic) {
      return 1;
    }
  }
}
