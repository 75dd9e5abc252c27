package io.weirmq.replication.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.replication.metadata.MetadataChange.DeleteTopic;
import io.weirmq.replication.metadata.MetadataChange.RegisterBroker;
import io.weirmq.replication.metadata.MetadataChange.SetTopicConfigs;
import io.weirmq.replication.metadata.MetadataChangeException.Reason;
import io.weirmq.storage.StorageException;
import io.weirmq.testkit.storage.FileOperation;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import io.weirmq.testkit.storage.PowerCut;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalMetadataStoreTest {

  private static final Path FOLDER = Path.of("/data");
  private static final Path FILE = Path.of("/data/metadata");
  private static final Path PREVIOUS = Path.of("/data/metadata.previous");
  private static final int SELF = 3;

  private final InMemoryFileSystem files = new InMemoryFileSystem();

  @BeforeEach
  void makeFolder() throws IOException {
    files.createDirectoriesDurably(FOLDER);
  }

  @Test
  void aNewClusterGetsAnIdThatStays() throws StorageException {
    String clusterId = open().image().clusterId();

    assertThat(clusterId).matches("[A-Za-z0-9_-]{22}").doesNotStartWith("-");
    assertThat(open().image().clusterId()).isEqualTo(clusterId);
    assertThat(open().image().controllerId()).isEqualTo(SELF);
  }

  @Test
  void changesOutliveTheStore() throws StorageException {
    LocalMetadataStore store = open();
    UUID id = new UUID(5, 6);
    join(store, create("orders", id));
    join(store, new SetTopicConfigs(id, Map.of(), Map.of("retention.ms", "7")));
    store.close();

    MetadataImage image = open().image();

    TopicMetadata topic = image.topic("orders").orElseThrow();
    assertThat(topic.id()).isEqualTo(id);
    assertThat(topic.configs()).containsExactly(Map.entry("retention.ms", "7"));
    assertThat(image.topic(id)).contains(topic);
  }

  @Test
  void cc06_eachStartRaisesEveryLeaderEpochByOneWithOneWrite() throws StorageException {
    LocalMetadataStore store = open();
    join(store, create("orders", new UUID(5, 6)));
    join(store, create("bills", new UUID(5, 7)));
    assertThat(epochs(store.image())).containsExactly(0, 0);

    assertThat(epochs(open().image())).containsExactly(1, 1);
    long before = forces();
    assertThat(epochs(open().image())).containsExactly(2, 2);

    assertThat(forces() - before).as("the file, and the copy beside it").isEqualTo(2);
  }

  @Test
  void producerIdsAreGivenOutOnceOverRestarts() throws StorageException {
    LocalMetadataStore store = open();
    assertThat(store.allocateProducerIds().toCompletableFuture().join())
        .isEqualTo(new ProducerIdBlock(0, 1000));
    assertThat(store.allocateProducerIds().toCompletableFuture().join())
        .isEqualTo(new ProducerIdBlock(1000, 1000));

    assertThat(open().allocateProducerIds().toCompletableFuture().join())
        .isEqualTo(new ProducerIdBlock(2000, 1000));
  }

  @Test
  void changesThatWaitAreWrittenTogether() throws StorageException {
    Queue<Runnable> tasks = new ArrayDeque<>();
    LocalMetadataStore store = LocalMetadataStore.open(FILE, files, tasks::add, SELF);
    long before = forces();
    List<CompletableFuture<MetadataImage>> results = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      results.add(store.apply(create("topic-" + i, new UUID(1, i))).toCompletableFuture());
    }
    assertThat(results).noneMatch(CompletableFuture::isDone);

    run(tasks);

    assertThat(results).allMatch(CompletableFuture::isDone);
    assertThat(forces() - before).isEqualTo(1);
    assertThat(results.get(9).join().topics()).as("each sees its own image").hasSize(10);
    assertThat(store.image().topics()).hasSize(100);
  }

  @Test
  void listenersFollowInOrderBeforeTheAnswer() throws StorageException {
    LocalMetadataStore store = open();
    List<String> events = new ArrayList<>();
    MetadataImage start =
        store.subscribe((before, after) -> events.add(before.version() + " to " + after.version()));
    store.subscribe(
        (before, after) -> {
          throw new IllegalStateException("must not hurt the others");
        });

    store
        .apply(create("orders", new UUID(5, 6)))
        .whenComplete((image, failure) -> events.add("answered " + image.version()));
    join(store, new DeleteTopic(new UUID(5, 6)));

    long v = start.version();
    assertThat(events)
        .containsExactly(v + " to " + (v + 1), "answered " + (v + 1), (v + 1) + " to " + (v + 2));
  }

  @Test
  void refusedChangesChangeNothing() throws StorageException {
    LocalMetadataStore store = open();
    UUID id = new UUID(5, 6);
    join(store, create("orders", id));
    MetadataImage image = store.image();

    assertThat(refusal(store, create("orders", new UUID(1, 1)))).isEqualTo(Reason.TOPIC_EXISTS);
    assertThat(refusal(store, create("other", id))).isEqualTo(Reason.CONFLICT);
    assertThat(refusal(store, new DeleteTopic(new UUID(9, 9)))).isEqualTo(Reason.UNKNOWN_TOPIC);
    assertThat(refusal(store, new SetTopicConfigs(id, Map.of("a", "b"), Map.of())))
        .isEqualTo(Reason.CONFLICT);
    assertThat(refusal(store, new MetadataChange.AddPartitions(id, 4, List.of(List.of(SELF)))))
        .isEqualTo(Reason.CONFLICT);
    assertThat(refusal(store, new MetadataChange.RaiseLeaderEpoch(id, 4, 1)))
        .isEqualTo(Reason.UNKNOWN_PARTITION);
    assertThat(store.image()).isSameAs(image);
  }

  @Test
  void registeringABrokerIsNotWritten() throws StorageException {
    LocalMetadataStore store = open();
    long before = files.faults().changes();

    join(store, new RegisterBroker(new BrokerMetadata(SELF, null, List.of())));

    assertThat(store.image().brokers()).containsOnlyKeys(SELF);
    assertThat(files.faults().changes()).isEqualTo(before);
  }

  @Test
  void aFailedWriteIsToldAndTheNextOneWorks() throws StorageException {
    LocalMetadataStore store = open();
    files.faults().fail(operation -> true);
    assertThat(refusal(store, create("orders", new UUID(5, 6)))).isEqualTo(Reason.STORAGE_FAILED);
    assertThat(store.image().topics()).isEmpty();

    files.faults().clear();
    join(store, create("orders", new UUID(5, 6)));
    assertThat(open().image().topics()).hasSize(1);
  }

  @Test
  void aClosedStoreTakesNothingMore() throws StorageException {
    LocalMetadataStore store = open();
    store.close();
    store.close();

    assertThat(refusal(store, create("orders", new UUID(5, 6)))).isEqualTo(Reason.CLOSED);
  }

  @Test
  void theFileOfAnotherBrokerIsRefused() throws StorageException {
    open();

    assertThatThrownBy(() -> LocalMetadataStore.open(FILE, files, Runnable::run, 4))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("belongs to broker 3")
        .hasMessageContaining("configured as 4")
        .hasMessageContaining("node.id=3");
  }

  @Test
  @DisplayName("ST-07 a damaged file is kept, and the copy stands in with newer configurations")
  void st07_aDamagedFileIsKeptAndMadeAnewFromTheCopy() throws IOException {
    LocalMetadataStore store = open();
    UUID id = new UUID(5, 6);
    join(store, create("orders", id));
    open().close();
    LocalMetadataStore last = open();
    join(last, new SetTopicConfigs(id, Map.of(), Map.of("retention.ms", "7")));
    int epoch = epochs(last.image()).get(0);
    long given = last.allocateProducerIds().toCompletableFuture().join().end();
    byte[] bytes = files.bytes(FILE);
    bytes[bytes.length / 2] ^= 1;
    files.put(FILE, bytes);

    MetadataImage image = open().image();

    assertThat(image.clusterId()).isEqualTo(store.image().clusterId());
    assertThat(image.topic(id).orElseThrow().configs())
        .containsExactly(Map.entry("retention.ms", "7"));
    assertThat(epochs(image).get(0)).isGreaterThan(epoch);
    assertThat(image.nextProducerId()).isGreaterThanOrEqualTo(given);
    assertThat(files.bytes(Path.of("/data/metadata.damaged-1"))).isEqualTo(bytes);
    assertThat(open().image().topics()).as("the file is whole again").hasSize(1);
  }

  @Test
  @DisplayName("ST-07 garbage behind the end costs nothing")
  void st07_garbageBehindTheEndCostsNothing() throws IOException {
    LocalMetadataStore store = open();
    join(store, create("orders", new UUID(5, 6)));
    MetadataImage before = store.image();
    byte[] whole = files.bytes(FILE);
    byte[] longer = Arrays.copyOf(whole, whole.length + 9);
    Arrays.fill(longer, whole.length, longer.length, (byte) 0xfe);
    files.put(FILE, longer);

    MetadataImage image = open().image();

    assertThat(epochs(image)).as("one more start, nothing else").containsExactly(1);
    assertThat(image.nextProducerId()).isEqualTo(before.nextProducerId());
    assertThat(image.topics()).hasSize(1);
    assertThat(files.bytes(Path.of("/data/metadata.damaged-1"))).isEqualTo(longer);
  }

  @Test
  @DisplayName("ST-07 five damaged files are kept, the newest first, each once")
  void st07_aBoundedNumberOfDamagedFilesIsKept() throws IOException {
    open();
    for (int i = 1; i <= 7; i++) {
      files.put(FILE, new byte[i]);
      files.put(PREVIOUS, new byte[0]);
      open();
      files.put(FILE, new byte[i]);
      open();
    }

    for (int number = 1; number <= 5; number++) {
      assertThat(files.bytes(Path.of("/data/metadata.damaged-" + number))).hasSize(8 - number);
    }
    assertThat(files.exists(Path.of("/data/metadata.damaged-6"))).isFalse();
  }

  @Test
  @DisplayName("ST-07 a power cut at any step of making the file anew loses no topic of the copy")
  void st07_powerCutsWhileMakingItAnew() throws IOException {
    for (int step = 0; step < 30; step++) {
      InMemoryFileSystem disk = new InMemoryFileSystem();
      disk.createDirectoriesDurably(FOLDER);
      LocalMetadataStore store = LocalMetadataStore.open(FILE, disk, Runnable::run, SELF);
      join(store, create("orders", new UUID(5, 6)));
      LocalMetadataStore.open(FILE, disk, Runnable::run, SELF);
      disk.put(FILE, new byte[12]);
      disk.faults().powerOffAfter(step);
      try {
        LocalMetadataStore.open(FILE, disk, Runnable::run, SELF);
      } catch (StorageException e) {
        assertThat(e).as("step %d", step).hasStackTraceContaining("power is off");
      }
      InMemoryFileSystem after = disk.cutPower(PowerCut.seeded(step));

      MetadataImage image = LocalMetadataStore.open(FILE, after, Runnable::run, SELF).image();

      assertThat(image.topic(new UUID(5, 6))).as("step %d", step).isPresent();
      assertThat(after.bytes(Path.of("/data/metadata.damaged-1"))).hasSize(12);
    }
  }

  @Test
  void theFileOfALaterVersionIsRefusedAndLeftAlone() throws IOException {
    open();
    byte[] later =
        new String(files.bytes(FILE), StandardCharsets.UTF_8)
            .replace("weirmq-metadata 1", "weirmq-metadata 2")
            .getBytes(StandardCharsets.UTF_8);
    files.put(FILE, later);

    assertThatThrownBy(this::open)
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(FILE.toString())
        .hasMessageContaining("version 2, expected at most 1");
    assertThat(files.bytes(FILE)).isEqualTo(later);
  }

  @Test
  @DisplayName("ST-07 a missing file is made anew where there was one")
  void st07_aMissingFileIsMadeAnewWhereThereWasOne() throws IOException {
    LocalMetadataStore store = open();
    join(store, create("orders", new UUID(5, 6)));
    open();
    files.deleteIfExists(FILE);

    MetadataImage image = open().image();

    assertThat(image.clusterId()).isEqualTo(store.image().clusterId());
    assertThat(image.topic(new UUID(5, 6))).isPresent();
  }

  @Test
  void cc06_theCopyOfTheLastStartUsesNoEpochAndNoProducerIdTwice() throws IOException {
    open();
    join(open(), create("orders", new UUID(5, 6)));
    LocalMetadataStore last = open();
    long given = last.allocateProducerIds().toCompletableFuture().join().end();
    int usedEpoch = epochs(last.image()).get(0);

    files.put(FILE, files.bytes(PREVIOUS));
    LocalMetadataStore restored = open();

    assertThat(epochs(restored.image()).get(0)).isGreaterThan(usedEpoch);
    assertThat(restored.allocateProducerIds().toCompletableFuture().join().first())
        .isGreaterThanOrEqualTo(given);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whateverTheMomentOfAPowerCutNothingAnsweredIsLost(long seed) throws IOException {
    Random random = new Random(seed);
    for (int step = 0; step < 120; step++) {
      crashAt(step, random, "seed " + seed + ", crash after step " + step);
    }
  }

  /** Runs a store until the machine dies at a step, and looks at what is there afterwards. */
  private static void crashAt(int step, Random random, String context) throws IOException {
    InMemoryFileSystem disk = new InMemoryFileSystem();
    disk.createDirectoriesDurably(FOLDER);
    Set<String> answered = new HashSet<>();
    Map<String, Integer> epochs = new HashMap<>();
    long idsGiven = 0;
    disk.faults().powerOffAfter(step);
    boolean opened = false;
    try {
      for (int start = 0; start < 3; start++) {
        LocalMetadataStore store = LocalMetadataStore.open(FILE, disk, Runnable::run, SELF);
        opened = true;
        store.image().topics().forEach(t -> epochs.put(t.name(), epoch(t)));
        for (int i = 0; i < 3; i++) {
          String name = "t" + start + i;
          store.apply(create(name, new UUID(start, i))).toCompletableFuture().join();
          answered.add(name);
          idsGiven = store.allocateProducerIds().toCompletableFuture().join().end();
        }
      }
    } catch (StorageException | CompletionException e) {
      // The machine died.
    }
    InMemoryFileSystem left = disk.cutPower(PowerCut.seeded(random.nextLong()));

    LocalMetadataStore after = LocalMetadataStore.open(FILE, left, Runnable::run, SELF);

    assertThat(after.image().topics())
        .as(context)
        .extracting(TopicMetadata::name)
        .containsAll(answered);
    after
        .image()
        .topics()
        .forEach(
            topic ->
                assertThat(epoch(topic))
                    .as(context)
                    .isGreaterThan(epochs.getOrDefault(topic.name(), -1)));
    assertThat(after.image().nextProducerId()).as(context).isGreaterThanOrEqualTo(idsGiven);
    assertThat(opened || answered.isEmpty()).isTrue();
  }

  @Test
  void theFileCanBeReadByPeople() throws IOException {
    LocalMetadataStore store = open();
    join(
        store,
        new CreateTopic(
            "orders",
            TopicIds.fromText("Q2xlYW4gdGhlIGZpbHRlcg"),
            List.of(List.of(SELF), List.of(SELF)),
            Map.of("cleanup.policy", "compact")));

    String text = new String(files.bytes(FILE), StandardCharsets.UTF_8);

    assertThat(text)
        .startsWith("weirmq-metadata 1\nbroker 3\ncluster " + store.image().clusterId() + "\n")
        .contains(
            """
            topic orders Q2xlYW4gdGhlIGZpbHRlcg 2
            config cleanup.policy compact
            partition 0 leader 3 epoch 0 replicas 3 isr 3
            partition 1 leader 3 epoch 0 replicas 3 isr 3
            crc32c 0x""");
  }

  private LocalMetadataStore open() throws StorageException {
    return LocalMetadataStore.open(FILE, files, Runnable::run, SELF);
  }

  /** How often bytes were forced. */
  private long forces() {
    return files.counts().operations(FileOperation.Kind.FORCE, path -> true);
  }

  private static void run(Queue<Runnable> tasks) {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  private static void join(LocalMetadataStore store, MetadataChange change) {
    store.apply(change).toCompletableFuture().join();
  }

  private static Reason refusal(LocalMetadataStore store, MetadataChange change) {
    try {
      store.apply(change).toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof MetadataChangeException refused) {
        return refused.reason();
      }
      throw e;
    }
    throw new AssertionError("the change was made: " + change);
  }

  private static CreateTopic create(String name, UUID id) {
    return new CreateTopic(name, id, List.of(List.of(SELF)), Map.of());
  }

  private static List<Integer> epochs(MetadataImage image) {
    return image.topics().stream().map(LocalMetadataStoreTest::epoch).toList();
  }

  private static int epoch(TopicMetadata topic) {
    return topic.partitions().get(0).leaderEpoch();
  }
}
