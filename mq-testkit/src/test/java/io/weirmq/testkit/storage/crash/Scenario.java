package io.weirmq.testkit.storage.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.AppendTarget;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.FlushTarget.Demand;
import io.weirmq.storage.internal.ValidatedBatch;
import io.weirmq.storage.internal.WritableLog;
import io.weirmq.storage.internal.log.LoadedLog;
import io.weirmq.storage.internal.log.SegmentedLog;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import io.weirmq.testkit.storage.PowerCut;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A data folder's random lives, all from one seed: each life is a random use of a few logs that
 * ends in a power cut, a kill or a stop; then the folder is opened again, often with further power
 * cuts while it is, and what is found is compared with the model.
 */
final class Scenario implements InstantSource {

  private static final Path FOLDER = Path.of("/data");
  private static final long FIRST_TIME_MS = 1_700_000_000_000L;
  private static final int STEPS_MAX = 60;
  private static final long REST_AFTER_MS = 300_000;

  private final Random random;
  private final Batches batches;
  private final LogConfig config;
  private final Map<TopicPartition, ModelLog> models =
      new TreeMap<>(java.util.Comparator.comparing(TopicPartition::toString));
  private final List<TopicPartition> deleted = new ArrayList<>();
  private final List<String> history = new ArrayList<>();

  private InMemoryFileSystem disk = new InMemoryFileSystem(this);
  private LogDirectory directory;
  private long nowMs = FIRST_TIME_MS + 200_000;
  private int leaderEpoch;
  private int crashes;
  private int checkpointedStarts;
  private boolean beginning = true;

  Scenario(long seed) {
    this.random = new Random(seed);
    this.batches = new Batches(random, FIRST_TIME_MS);
    this.config =
        LogConfig.defaults().toBuilder()
            .segmentBytes(1_000 + random.nextInt(3_000))
            .index(64 + random.nextInt(400), random.nextInt(500))
            .segmentMs(1_000_000 + random.nextInt(100_000), 0)
            .retentionMs(-1)
            .fileDeleteDelayMs(random.nextInt(3) * 10_000L)
            .logAppendTime(random.nextInt(5) == 0)
            .build();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(nowMs);
  }

  @Override
  public long millis() {
    return nowMs;
  }

  /** What was done, for the message of a failure. */
  List<String> history() {
    return history;
  }

  /** Power cuts and kills so far, those during recovery too. */
  int crashes() {
    return crashes;
  }

  /** Logs whose recovery began inside a segment. */
  int checkpointedStarts() {
    return checkpointedStarts;
  }

  void run() throws IOException {
    int lives = 1 + random.nextInt(3);
    for (int life = 0; life < lives; life++) {
      live();
      restart(life);
    }
    directory.close();
  }

  private void note(String what) {
    history.add(what);
  }

  private LogDirectory open(InMemoryFileSystem files) throws StorageException {
    StringBuilder found = new StringBuilder("open; there is");
    files
        .files()
        .forEach(
            (path, bytes) ->
                found.append(' ').append(FOLDER.relativize(path)).append(':').append(bytes.length));
    note(found.toString());
    LogDirectory opened =
        LogDirectories.open(
            FOLDER,
            LogDirectoryOptions.of(1, "cluster")
                .withConfigOf(partition -> config)
                .withTopicIdOf(
                    partition -> Optional.ofNullable(models.get(partition)).map(ModelLog::topicId))
                .withOpenSegmentsMax(1 + random.nextInt(3))
                .withSegmentCheckpointBytes(
                    random.nextInt(4) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(900))
                .withLoadThreads(1, Thread::new),
            files,
            this);
    if (files.faults().isPowerOff()) {
      // A log that can't be read is left out; here it is not the log.
      throw new StorageException("power went off while the folder was opened");
    }
    opened.logs().forEach(log -> countCheckpointedStart(files, (SegmentedLog) log));
    return opened;
  }

  private void countCheckpointedStart(InMemoryFileSystem files, SegmentedLog log) {
    long from = log.recoveredFrom();
    Path folder = FOLDER.resolve(log.topicPartition().toString());
    if (from != LoadedLog.NOT_RECOVERED && !files.exists(SegmentFileKind.LOG.in(folder, from))) {
      note("recovery of %s began at offset %d".formatted(log, from));
      checkpointedStarts++;
    }
  }

  private void live() throws IOException {
    // Rarely long: most operations are of the first steps, and all of them are to be hit.
    int changes = random.nextInt(random.nextBoolean() ? 60 : 600);
    note("power off after " + changes + " changes");
    disk.faults().powerOffAfter(changes);
    try {
      if (beginning) {
        directory = open(disk);
        beginning = false;
      }
      int steps = random.nextInt(STEPS_MAX);
      for (int step = 0; step < steps; step++) {
        act();
      }
    } catch (StorageException e) {
      if (!disk.faults().isPowerOff()) {
        throw e;
      }
      note("power is off: " + e.getMessage());
    }
  }

  private void act() throws StorageException {
    int choice = random.nextInt(100);
    if (models.isEmpty() || choice < 3) {
      create();
      return;
    }
    if (choice < 5) {
      delete();
    } else if (choice < 9) {
      note("checkpoints");
      directory.writeCheckpoints();
      models.values().forEach(ModelLog::startIsDurable);
    } else if (choice < 11) {
      nowMs += random.nextInt(100_000);
      note("purge");
      directory.purgeDeleted(nowMs);
    } else if (choice < 12) {
      stopAndStart();
    } else {
      List<TopicPartition> all = List.copyOf(models.keySet());
      actOn(all.get(random.nextInt(all.size())), choice);
    }
  }

  private void create() throws StorageException {
    TopicPartition partition =
        new TopicPartition(random.nextBoolean() ? "orders" : "events", random.nextInt(2));
    if (models.containsKey(partition)) {
      return;
    }
    note("create " + partition);
    UUID topicId = new UUID(random.nextLong(), random.nextLong());
    ModelLog model = new ModelLog(topicId);
    models.put(partition, model);
    deleted.remove(partition);
    directory.create(partition, topicId, config);
  }

  private void delete() throws StorageException {
    TopicPartition partition = models.keySet().iterator().next();
    note("delete " + partition);
    ModelLog model = models.get(partition);
    model.deletionTried();
    directory.delete(partition);
    models.remove(partition);
    deleted.add(partition);
  }

  private void stopAndStart() throws StorageException {
    note("stop and start");
    directory.close();
    models.values().forEach(ModelLog::flushed);
    models.values().forEach(ModelLog::startIsDurable);
    directory = open(disk);
  }

  private void actOn(TopicPartition partition, int choice) throws StorageException {
    ModelLog model = models.get(partition);
    PartitionLog log = directory.log(partition).orElseThrow();
    AppendTarget writer = ((WritableLog) log).appendTarget();
    if (choice < 66) {
      append(partition, model, log, writer);
    } else if (choice < 70) {
      rest(partition, model, log, writer);
    } else if (choice < 78) {
      note("flush " + partition);
      writer.flush();
      model.flushed();
    } else if (choice < 83) {
      note("roll " + partition);
      writer.roll();
    } else if (choice < 89) {
      truncate(partition, model, log, writer);
    } else if (choice < 94) {
      long before = model.start() + random.nextInt((int) (log.highWatermark() - model.start()) + 1);
      note("delete records of " + partition + " before " + before);
      model.startMayBe(before);
      writer.deleteRecordsBefore(before);
      model.startIs(Math.max(before, model.start()));
      model.startIsDurable();
    } else if (choice < 98) {
      retain(partition, model, log, writer);
    } else {
      leaderEpoch++;
      note("epoch " + leaderEpoch + " begins at the end of " + partition);
      writer.beginEpoch(leaderEpoch);
    }
  }

  private void append(
      TopicPartition partition, ModelLog model, PartitionLog log, AppendTarget writer)
      throws StorageException {
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      if (random.nextInt(12) == 0) {
        leaderEpoch++;
      }
      append(
          partition, model, log, writer, batches.next(model.batches(), end(model, log), epoch()));
    }
    writer.commit();
    model.commit();
    assertThat(log.logEndOffset()).as("end of %s", partition).isEqualTo(model.end());
    if (random.nextInt(4) > 0) {
      writer.advanceHighWatermark(model.end());
    }
    FlushTarget flushes = writer.flushTarget();
    if (flushes.demand(nowMs) == Demand.CHECKPOINT && random.nextInt(3) > 0) {
      note("checkpoint of " + partition);
      flushes.flush(Demand.CHECKPOINT);
      model.flushed();
    }
  }

  private int epoch() {
    return leaderEpoch;
  }

  /** Where the next batch goes: behind what is staged. */
  private static long end(ModelLog model, PartitionLog log) {
    return model.isStaged() ? model.end() : log.logEndOffset();
  }

  private void append(
      TopicPartition partition,
      ModelLog model,
      PartitionLog log,
      AppendTarget writer,
      Batches.Made made)
      throws StorageException {
    long offset = end(model, log);
    RecordBatch view = RecordBatch.of(made.buffer());
    ValidatedBatch validated =
        new ValidatedBatch(made.buffer(), view.recordCount(), view.maxTimestamp(), 0);
    // The stamp comes before the write, but a roll in between may fail: then nothing is written.
    AppendResult result = writer.stage(validated, made.origin(), made.leaderEpoch(), nowMs);
    if (result instanceof AppendResult.Failed failed) {
      throw failed.cause();
    }
    note(
        "append %s to %s at %d: %d bytes, epoch %d, producer %d%s"
            .formatted(
                made.origin() == AppendOrigin.COORDINATOR
                    ? (made.commit() ? "COMMIT" : "ABORT")
                    : made.origin(),
                partition,
                offset,
                view.sizeInBytes(),
                made.leaderEpoch(),
                view.producerId(),
                view.isTransactional() ? " in a transaction" : ""));
    if (isForgotten(result, log, view.producerId())) {
      return;
    }
    assertThat(result).as("append to %s", partition).isInstanceOf(AppendResult.Appended.class);
    assertThat(((AppendResult.Appended) result).baseOffset()).as("offset").isEqualTo(offset);
    model.stage(made.model(offset, config.logAppendTime()));
  }

  /**
   * Whether a producer is refused that goes on, because all batches of it are below the log start
   * and only a marker is left: its sequences begin anew then, as in Kafka.
   */
  private static boolean isForgotten(AppendResult result, PartitionLog log, long producerId) {
    return result instanceof AppendResult.Rejected rejected
        && rejected.reason() == AppendResult.RejectReason.OUT_OF_ORDER_SEQUENCE_NUMBER
        && log.producers().stream()
            .noneMatch(known -> known.producerId() == producerId && known.lastSequence() >= 0);
  }

  /** Puts a log to rest; often one more batch is appended before the disk has it. */
  private void rest(TopicPartition partition, ModelLog model, PartitionLog log, AppendTarget writer)
      throws StorageException {
    note("rest of " + partition);
    writer.rest(nowMs + REST_AFTER_MS);
    if (random.nextInt(3) == 0) {
      append(partition, model, log, writer);
    }
    if (random.nextInt(4) > 0) {
      writer.flushTarget().flush(Demand.REST);
      model.flushed();
    }
  }

  private void truncate(
      TopicPartition partition, ModelLog model, PartitionLog log, AppendTarget writer)
      throws StorageException {
    long offset = Math.max(model.start(), log.logEndOffset() - random.nextInt(12));
    note("truncate " + partition + " to " + offset);
    // A batch that holds the offset goes as a whole.
    long end = 0;
    for (ModelBatch batch : model.batches()) {
      end = batch.nextOffset() <= offset ? Math.max(end, batch.nextOffset()) : end;
    }
    model.endMayBe(end);
    writer.truncateTo(offset);
    model.endIs(log.logEndOffset());
    model.startIs(log.logStartOffset());
  }

  private void retain(
      TopicPartition partition, ModelLog model, PartitionLog log, AppendTarget writer)
      throws StorageException {
    nowMs += random.nextInt(200_000);
    note("retention of " + partition + " at " + nowMs);
    model.startMayBe(model.end());
    LogConfig tight =
        random.nextBoolean()
            ? config.toBuilder().retentionBytes(log.sizeBytes() / 2).build()
            : config.toBuilder().retentionMs(nowMs - FIRST_TIME_MS - 50_000).build();
    writer.reconfigure(tight);
    writer.applyRetention(nowMs);
    writer.reconfigure(config);
    model.startIs(log.logStartOffset());
  }

  private void restart(int life) throws IOException {
    crashes++;
    int kind = random.nextInt(10);
    PowerCut cut = PowerCut.seeded(random.nextLong());
    boolean powerCut = kind > 1;
    note(powerCut ? "cut: " + cut : "killed");
    InMemoryFileSystem old = disk;
    disk = powerCut ? old.cutPower(cut) : old.kill();
    Map<TopicPartition, String> once = Map.of();
    if (powerCut) {
      once = found(old.cutPower(cut));
    }
    openThroughCrashes();
    if (powerCut) {
      assertThat(facts(directory)).as("recovery with interruptions").isEqualTo(once);
    }
    compare(powerCut);
    note("life " + life + " ends; found " + directory.logs());
    models.values().forEach(model -> assertThat(model.isStaged()).isFalse());
    appendOneAndReopen();
  }

  /** What a recovery without interruptions finds. */
  private Map<TopicPartition, String> found(InMemoryFileSystem files) throws StorageException {
    return facts(open(files));
  }

  private static Map<TopicPartition, String> facts(LogDirectory opened) {
    Map<TopicPartition, String> facts = new java.util.HashMap<>();
    opened.logs().forEach(log -> facts.put(log.topicPartition(), log + " " + log.topicId()));
    return facts;
  }

  private void openThroughCrashes() throws StorageException {
    int interruptions = random.nextInt(3);
    for (int i = 0; i < interruptions; i++) {
      int changes = random.nextInt(60);
      disk.faults().powerOffAfter(changes);
      try {
        open(disk);
      } catch (StorageException e) {
        if (!disk.faults().isPowerOff()) {
          throw e;
        }
      }
      crashes++;
      PowerCut cut = PowerCut.seeded(random.nextLong());
      note("recovery cut after " + changes + " changes: " + cut);
      disk = disk.cutPower(cut);
    }
    directory = open(disk);
    beginning = false;
  }

  private void compare(boolean allDurable) throws IOException {
    for (TopicPartition partition : deleted) {
      assertThat(directory.log(partition)).as("deleted log of %s", partition).isEmpty();
    }
    for (TopicPartition partition : List.copyOf(models.keySet())) {
      ModelLog model = models.get(partition);
      Optional<PartitionLog> found = directory.log(partition);
      if (found.isEmpty()) {
        assertThat(model.isCreatedForSure()).as("%s is gone", partition).isFalse();
        models.remove(partition);
        continue;
      }
      PartitionLog log = found.get();
      check(log, model, "after recovery");
      model.recovered(log.logStartOffset(), log.logEndOffset(), allDurable);
    }
    assertThat(directory.logs()).as("logs").hasSize(models.size());
  }

  private static void check(PartitionLog log, ModelLog model, String when) throws IOException {
    try {
      LogChecks.check(log, model);
    } catch (AssertionError | IOException e) {
      throw new AssertionError("%s %s: %s".formatted(log, when, e.getMessage()), e);
    }
  }

  private void appendOneAndReopen() throws IOException {
    for (Map.Entry<TopicPartition, ModelLog> entry : models.entrySet()) {
      PartitionLog log = directory.log(entry.getKey()).orElseThrow();
      AppendTarget writer = ((WritableLog) log).appendTarget();
      append(entry.getKey(), entry.getValue(), log, writer);
      writer.advanceHighWatermark(log.logEndOffset());
      check(log, entry.getValue(), "after an append");
      LogChecks.checkStable(log, entry.getValue());
    }
    if (random.nextBoolean()) {
      stopAndStart();
      if (random.nextBoolean()) {
        disk = disk.cutPower(PowerCut.losingAll());
        directory = open(disk);
      }
    } else {
      disk = disk.kill();
      directory = open(disk);
    }
    note("opened again");
    for (Map.Entry<TopicPartition, ModelLog> entry : models.entrySet()) {
      PartitionLog log = directory.log(entry.getKey()).orElseThrow();
      assertThat(log.logEndOffset()).as("end of %s", log).isEqualTo(entry.getValue().end());
      check(log, entry.getValue(), "after a second start");
      entry.getValue().recovered(log.logStartOffset(), log.logEndOffset(), false);
    }
  }
}
