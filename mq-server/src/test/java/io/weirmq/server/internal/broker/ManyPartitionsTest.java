package io.weirmq.server.internal.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.replication.Partition;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.server.config.BrokerConfig;
import io.weirmq.storage.StorageException;
import io.weirmq.testkit.storage.FileCounts;
import io.weirmq.testkit.storage.FileOperation.Kind;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import io.weirmq.testkit.storage.PowerCut;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What thousands of partitions cost a broker's storage, counted and not timed. */
class ManyPartitionsTest {

  private static final int COUNT = 5_000;
  private static final int SEEDS = 100;
  private static final UUID TOPIC_ID = new UUID(7, 7);

  /** Forces that don't depend on the number of partitions: metadata, checkpoints, markers. */
  private static final int FIXED_FORCES_MAX = 60;

  private final InMemoryFileSystem files = new InMemoryFileSystem();
  private final FatalErrors fatalErrors = new FatalErrors();
  private final BrokerThreads threads = new BrokerThreads(fatalErrors);
  private final InstantSource wall = InstantSource.fixed(Instant.ofEpochMilli(1_700_000_000_000L));

  private Storage open() throws Exception {
    BrokerConfig config = BrokerConfig.of(Map.of("log.dirs", "/data"));
    return Storage.open(config, files, threads, fatalErrors, wall);
  }

  private long forces() {
    FileCounts counts = files.counts();
    return counts.operations(Kind.FORCE, path -> true)
        + counts.operations(Kind.FORCE_FOLDER, path -> true);
  }

  private long opensOfData() {
    return files.counts().operations(Kind.OPEN, ManyPartitionsTest::isData);
  }

  private static boolean isData(Path path) {
    String name = path.getFileName().toString();
    return name.endsWith(".log") || name.endsWith("index") || name.endsWith(".snapshot");
  }

  @Test
  @DisplayName("OP-07 5,000 partitions: forces, open files and threads don't grow with them")
  void op07_creationStopAndStart() throws Exception {
    Storage storage = open();
    create(storage, "one", new UUID(1, 1), 1);
    long threadsBefore = threadCount();
    files.counts().reset();

    create(storage, "many", TOPIC_ID, COUNT);

    assertThat(storage.partitions().all()).hasSize(1 + COUNT);
    assertThat(forces()).isLessThan(FIXED_FORCES_MAX);
    assertThat(opensOfData()).isZero();
    assertThat(threadCount()).isEqualTo(threadsBefore);
    long openFiles = files.openFiles();

    files.counts().reset();
    storage.close();
    assertThat(forces()).as("forces of the stop").isLessThan(FIXED_FORCES_MAX);
    assertThat(filesPerPartition()).isEqualTo(1);

    files.counts().reset();
    try (Storage again = open()) {
      assertThat(again.partitions().all()).hasSize(1 + COUNT).allMatch(Partition::isLeader);
      assertThat(forces()).as("forces of the start").isLessThan(FIXED_FORCES_MAX);
      assertThat(opensOfData()).isZero();
      assertThat(files.openFiles()).isEqualTo((int) openFiles);
      assertThat(threadCount()).isLessThanOrEqualTo(threadsBefore);
    }
  }

  @Test
  @DisplayName("OP-07 partitions that a power cut takes away before a flush are made again")
  void op07_powerCutAfterCreation() throws Exception {
    Storage storage = open();
    create(storage, "many", TOPIC_ID, 10);
    for (long seed = 0; seed < SEEDS; seed++) {
      InMemoryFileSystem left = files.cutPower(PowerCut.seeded(seed));
      try (Storage again =
          Storage.open(
              BrokerConfig.of(Map.of("log.dirs", "/data")), left, threads, fatalErrors, wall)) {
        assertThat(again.partitions().all())
            .as("seed %d", seed)
            .hasSize(10)
            .allMatch(partition -> partition.topicId().equals(TOPIC_ID));
      }
    }
    // Ends its threads; there is nothing left to write to.
    assertThatThrownBy(storage::close)
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("power is off");
  }

  private static void create(Storage storage, String name, UUID id, int count) {
    int brokerId = storage.metadata().image().controllerId();
    storage
        .metadata()
        .apply(new CreateTopic(name, id, Collections.nCopies(count, List.of(brokerId)), Map.of()))
        .toCompletableFuture()
        .join();
  }

  private double filesPerPartition() throws IOException {
    long below =
        files.files().keySet().stream().filter(file -> file.toString().contains("/many-")).count();
    return (double) below / COUNT;
  }

  private static long threadCount() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("mq-"))
        .count();
  }
}
