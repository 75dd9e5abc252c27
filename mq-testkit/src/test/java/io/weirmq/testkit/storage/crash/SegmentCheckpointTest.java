package io.weirmq.testkit.storage.crash;

import static io.weirmq.testkit.storage.crash.DiskFolder.T;
import static io.weirmq.testkit.storage.crash.DiskFolder.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TimestampedOffset;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.FlushTarget.Demand;
import io.weirmq.storage.internal.log.LoadedLog;
import io.weirmq.storage.internal.log.SegmentedLog;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.testkit.storage.FileGate;
import io.weirmq.testkit.storage.FileOperation.Kind;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import io.weirmq.testkit.storage.PowerCut;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Recovery that begins inside a segment, and each reason for which it must not. */
class SegmentCheckpointTest {

  private static final Path LOG_FOLDER = DiskFolder.FOLDER.resolve("orders-0");
  private static final Path CHECKPOINT = LOG_FOLDER.resolve("segment-checkpoint");
  private static final Path LOG = LOG_FOLDER.resolve("00000000000000000000.log");
  private static final Path INDEX = LOG_FOLDER.resolve("00000000000000000000.index");
  private static final Path TIME_INDEX = LOG_FOLDER.resolve("00000000000000000000.timeindex");
  private static final Path TRANSACTIONS = LOG_FOLDER.resolve("00000000000000000000.txnindex");

  /** One segment, an index entry for each second batch or so. */
  private static final LogConfig LARGE =
      LogConfig.defaults().toBuilder().segmentBytes(1_000_000).index(10_000, 100).build();

  /** A few batches. */
  private static final int CHECKPOINT_BYTES = 400;

  private static final int SEEDS = 60;

  /** Opens a folder whose file of recovery points is there, and says 0. */
  private static DiskFolder open() throws StorageException {
    DiskFolder folder = DiskFolder.open(new InMemoryFileSystem(), LARGE, CHECKPOINT_BYTES);
    folder.directory().writeCheckpoints();
    return folder;
  }

  private static DiskFolder open(InMemoryFileSystem disk) throws StorageException {
    return DiskFolder.open(disk, LARGE, CHECKPOINT_BYTES);
  }

  /** Writes the checkpoint that is due, as a flush thread does; whether one was. */
  private static boolean writeCheckpoint(DiskFolder folder) throws StorageException {
    FlushTarget flushes = folder.writer().flushTarget();
    if (flushes.demand(T) != Demand.CHECKPOINT) {
      return false;
    }
    flushes.flush(Demand.CHECKPOINT);
    assertThat(flushes.demand(T)).isEqualTo(Demand.NONE);
    return true;
  }

  /** Appends until a checkpoint was written; returns its offset. */
  private static int appendThroughCheckpoint(DiskFolder folder, String prefix)
      throws StorageException {
    do {
      folder.append(prefix, 1);
    } while (!writeCheckpoint(folder));
    return (int) folder.log().logEndOffset();
  }

  private static long recoveredFrom(DiskFolder folder) {
    return ((SegmentedLog) folder.log()).recoveredFrom();
  }

  /** Checks all that can be asked of a log whose timestamps rise with its offsets. */
  private static void assertWhole(DiskFolder folder, List<String> expected) throws IOException {
    assertThat(folder.values()).isEqualTo(expected);
    long end = folder.log().logEndOffset();
    for (long offset = 0; offset < end; offset++) {
      assertThat(folder.log().findByTimestamp(T + offset, end))
          .contains(new TimestampedOffset(offset, T + offset, 0));
      assertThat(folder.values(offset, offset + 1)).isEqualTo(List.of(expected.get((int) offset)));
    }
    assertThat(folder.log().findMaxTimestamp().orElseThrow().offset()).isEqualTo(end - 1);
    assertThat(folder.log().latestEpoch()).isZero();
  }

  /** Checks a log, appends to it, and checks it again after another kill. */
  private static void assertGoesOn(DiskFolder folder, int count) throws IOException {
    assertWhole(folder, values("a", 0, count));
    folder.append("a", 3);
    assertWhole(folder, values("a", 0, count + 3));
    DiskFolder again = open(folder.disk().kill());
    assertWhole(again, values("a", 0, count + 3));
  }

  @Test
  @DisplayName("ST-08 a start after a crash reads what lies behind the checkpoint only")
  void st08_readsTheTailOnly() throws IOException {
    assertThat(bytesReadBehind(4)).isEqualTo(bytesReadBehind(12));
  }

  /** The bytes of the log file that a start reads behind so many checkpoints and two batches. */
  private static long bytesReadBehind(int checkpoints) throws IOException {
    DiskFolder folder = open();
    int offset = 0;
    for (int i = 0; i < checkpoints; i++) {
      offset = appendThroughCheckpoint(folder, "a");
    }
    folder.append("a", 2);
    InMemoryFileSystem killed = folder.disk().kill();

    DiskFolder recovered = open(killed);
    assertThat(recoveredFrom(recovered)).isEqualTo(offset);
    long bytes = killed.counts().bytes(Kind.READ, LOG::equals);
    assertThat(bytes).isLessThan(killed.size(LOG) * 2 / checkpoints);
    assertGoesOn(recovered, offset + 2);
    return bytes;
  }

  @Test
  void aLogWithoutAFlushPolicyAsksForOneEachTimeThatEnoughWasAppended() throws IOException {
    DiskFolder folder = open();
    FlushTarget flushes = folder.writer().flushTarget();
    int before = 0;
    for (int i = 0; i < 3; i++) {
      int end = appendThroughCheckpoint(folder, "a");
      long sizeOfOne = folder.disk().size(LOG) / end;
      assertThat(end - before).isEqualTo((CHECKPOINT_BYTES + sizeOfOne - 1) / sizeOfOne);
      before = end;
    }
    folder.append("a", 1);
    assertThat(flushes.demand(T)).isEqualTo(Demand.NONE);
  }

  @Test
  void manyProducersMakeTheDistanceLarger() throws IOException {
    LogConfig config = LARGE.toBuilder().segmentBytes(10_000_000).index(1 << 20, 100).build();
    DiskFolder folder = DiskFolder.open(new InMemoryFileSystem(), config, CHECKPOINT_BYTES);
    folder.directory().writeCheckpoints();
    for (int id = 0; id < 30_000; id++) {
      folder.append(
          new RecordBatchBuilder()
              .producer(id, (short) 0, 0)
              .append(T, null, ByteBuffer.wrap(new byte[10]))
              .build(),
          AppendOrigin.CLIENT);
    }
    writeCheckpoint(folder);
    appendThroughCheckpoint(folder, "a");
    long before = folder.disk().size(LOG);
    appendThroughCheckpoint(folder, "a");
    assertThat(folder.disk().size(LOG) - before)
        .isBetween(3L * CHECKPOINT_BYTES, 3L * CHECKPOINT_BYTES + 100);
    assertThat(open(folder.disk().kill()).log().producers()).hasSize(30_000);
  }

  @Test
  void theWriterForcesNothing() throws IOException {
    DiskFolder folder = open();
    folder.disk().counts().reset();
    folder.append("a", 20);
    assertThat(folder.writer().flushTarget().demand(T)).isEqualTo(Demand.CHECKPOINT);
    assertThat(folder.disk().counts().operations(Kind.FORCE, path -> true)).isZero();
    assertThat(folder.disk().counts().operations(Kind.FORCE_FOLDER, path -> true)).isZero();
    assertThat(folder.disk().exists(CHECKPOINT)).isFalse();
  }

  @Test
  void aCheckpointCountsAlsoWhereTheRecoveryPointWasSavedBehindIt() throws IOException {
    DiskFolder folder = open();
    int offset = appendThroughCheckpoint(folder, "a");
    folder.append("a", 3);
    folder.writer().flush();
    folder.directory().writeCheckpoints();

    DiskFolder recovered = folder.after(PowerCut.losingAll());
    assertThat(recoveredFrom(recovered)).isEqualTo(offset);
    assertGoesOn(recovered, offset + 3);
  }

  @Test
  void allBelowACheckpointSurvivesAPowerCut() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      DiskFolder folder = open();
      appendThroughCheckpoint(folder, "a");
      int offset = appendThroughCheckpoint(folder, "a");
      folder.append("a", 4);

      DiskFolder recovered = folder.after(PowerCut.seeded(seed));
      assertThat(recoveredFrom(recovered)).as("seed %d", seed).isEqualTo(offset);
      assertGoesOn(recovered, (int) recovered.log().logEndOffset());
    }
  }

  @Test
  @DisplayName("ST-03 recovery behind a checkpoint that is interrupted anywhere ends the same")
  void st03_interruptedAtEveryStep() throws IOException {
    DiskFolder folder = open();
    appendThroughCheckpoint(folder, "a");
    folder.appendAborted(7);
    int offset = appendThroughCheckpoint(folder, "b");
    folder.append("c", 2).appendAborted(8).append("c", 3);
    InMemoryFileSystem torn = folder.disk().cutPower(PowerCut.keepingAll());
    torn.flipBit(LOG, torn.size(LOG) - 1, 3);
    InMemoryFileSystem whole = torn.cutPower(PowerCut.keepingAll());
    DiskFolder once = open(whole);
    assertThat(recoveredFrom(once)).isEqualTo(offset);
    long end = once.log().logEndOffset();
    Map<String, String> expected = contents(once);
    long changes = whole.faults().changes();
    assertThat(changes).isGreaterThan(10);

    for (long step = 0; step < changes; step++) {
      for (PowerCut cut :
          List.of(PowerCut.losingAll(), PowerCut.keepingAll(), PowerCut.seeded(step))) {
        InMemoryFileSystem first = torn.cutPower(PowerCut.keepingAll());
        interrupt(first, step);
        InMemoryFileSystem second = first.cutPower(cut);
        interrupt(second, step / 2);
        DiskFolder recovered = open(second.cutPower(cut));

        String where = "interrupted before change %d of %d, %s".formatted(step, changes, cut);
        assertThat(recoveredFrom(recovered)).as(where).isEqualTo(offset);
        assertThat(recovered.log().abortedTransactions(0, end))
            .as(where)
            .isEqualTo(once.log().abortedTransactions(0, end))
            .hasSize(2);
        assertThat(contents(recovered)).as(where).isEqualTo(expected);
      }
    }
  }

  private static void interrupt(InMemoryFileSystem disk, long step) {
    disk.faults().powerOffAfter(step);
    try {
      open(disk);
    } catch (StorageException e) {
      assertThat(disk.faults().isPowerOff()).as("%s", e).isTrue();
    }
  }

  private static Map<String, String> contents(DiskFolder folder) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    for (Path path : List.of(LOG, INDEX, TIME_INDEX, TRANSACTIONS, CHECKPOINT)) {
      contents.put(path.toString(), Arrays.toString(folder.disk().bytes(path)));
    }
    return contents;
  }

  /** A killed folder with two checkpoints, an aborted transaction below the second one, a tail. */
  private static final class Killed {

    private final InMemoryFileSystem disk;
    private final int offset;
    private final long end;
    private final List<String> values;

    Killed() throws IOException {
      DiskFolder folder = open();
      appendThroughCheckpoint(folder, "a");
      folder.appendAborted(7);
      offset = appendThroughCheckpoint(folder, "a");
      folder.append("a", 3);
      end = folder.log().logEndOffset();
      values = folder.values();
      disk = folder.disk().cutPower(PowerCut.keepingAll());
    }

    InMemoryFileSystem copy() throws IOException {
      return disk.cutPower(PowerCut.keepingAll());
    }

    /** Checks that nothing is lost or wrong, and where recovery began. */
    void assertRecovered(InMemoryFileSystem damaged, long from, String how) throws IOException {
      DiskFolder recovered = open(damaged);
      assertThat(recoveredFrom(recovered)).as(how).isEqualTo(from);
      assertRight(recovered, how);
      recovered.append("a", 1);
      assertThat(recovered.values()).as(how).hasSize(values.size() + 1);
    }

    void assertRight(DiskFolder recovered, String how) throws IOException {
      assertThat(recovered.log().logEndOffset()).as(how).isEqualTo(end);
      assertThat(recovered.values()).as(how).isEqualTo(values);
      for (int offset = 0; offset < end; offset++) {
        assertThat(recovered.values(offset, offset + 1))
            .as(how)
            .isEqualTo(values.subList(offset, offset + 1));
        if (values.get(offset).startsWith("a-")) {
          assertThat(recovered.log().findByTimestamp(T + offset, end))
              .as("%s, time of offset %d", how, offset)
              .contains(new TimestampedOffset(offset, T + offset, 0));
        }
      }
      assertThat(recovered.log().findMaxTimestamp().orElseThrow().offset())
          .as(how)
          .isEqualTo(end - 1);
      assertThat(recovered.log().abortedTransactions(0, end)).as(how).hasSize(1);
    }
  }

  @Test
  void aCheckpointWithAnyBitFlippedIsNotBelieved() throws IOException {
    Killed killed = new Killed();
    for (int position = 0; position < killed.copy().size(CHECKPOINT); position++) {
      InMemoryFileSystem damaged = killed.copy();
      damaged.flipBit(CHECKPOINT, position, position % 8);
      killed.assertRecovered(damaged, 0, "bit in byte " + position);
    }
  }

  @Test
  void aCheckpointThatIsCutShortIsNotBelieved() throws IOException {
    Killed killed = new Killed();
    byte[] whole = killed.copy().bytes(CHECKPOINT);
    for (int length = 0; length < whole.length; length += 7) {
      InMemoryFileSystem damaged = killed.copy();
      damaged.put(CHECKPOINT, Arrays.copyOf(whole, length));
      killed.assertRecovered(damaged, 0, length + " bytes");
    }
  }

  @Test
  @DisplayName("no flipped bit of an index makes recovery skip or lose a batch")
  void aFlippedBitOfAnIndexCostsNothing() throws IOException {
    Killed killed = new Killed();
    List<Long> starts = new ArrayList<>();
    for (Path index : List.of(INDEX, TIME_INDEX)) {
      for (int bit = 0; bit < killed.copy().size(index) * 8; bit++) {
        InMemoryFileSystem damaged = killed.copy();
        damaged.flipBit(index, bit / 8, bit % 8);
        DiskFolder recovered = open(damaged);
        starts.add(recoveredFrom(recovered));
        killed.assertRight(recovered, "%s, bit %d".formatted(index.getFileName(), bit));
      }
    }
    assertThat(starts).as("the last entries are looked at").contains(0L, (long) killed.offset);
  }

  @Test
  void anIndexThatIsShorterThanTheCheckpointSaysOrMissingIsMadeAnew() throws IOException {
    Killed killed = new Killed();
    for (Path index : List.of(INDEX, TIME_INDEX)) {
      InMemoryFileSystem shorter = killed.copy();
      shorter.put(index, Arrays.copyOf(shorter.bytes(index), 12));
      killed.assertRecovered(shorter, 0, index + " is short");
      InMemoryFileSystem without = killed.copy();
      without.deleteIfExists(index);
      killed.assertRecovered(without, 0, index + " is missing");
    }
  }

  @Test
  void whatLiesBehindTheCheckpointInAnIndexDoesNotCount() throws IOException {
    Killed killed = new Killed();
    for (Path index : List.of(INDEX, TIME_INDEX)) {
      InMemoryFileSystem torn = killed.copy();
      byte[] bytes = torn.bytes(index);
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 1_003);
      Arrays.fill(longer, bytes.length, bytes.length + 500, (byte) -3);
      torn.put(index, longer);
      killed.assertRecovered(torn, killed.offset, index + " with more, half an entry, and zeros");
    }
  }

  @Test
  void aTransactionIndexWithAnyBitFlippedIsMadeAnew() throws IOException {
    Killed killed = new Killed();
    for (int bit = 0; bit < killed.copy().size(TRANSACTIONS) * 8; bit++) {
      InMemoryFileSystem damaged = killed.copy();
      damaged.flipBit(TRANSACTIONS, bit / 8, bit % 8);
      killed.assertRecovered(damaged, 0, "bit " + bit);
    }
    InMemoryFileSystem without = killed.copy();
    without.deleteIfExists(TRANSACTIONS);
    killed.assertRecovered(without, 0, "missing");
  }

  @Test
  void leaderEpochsThatAreOthersAreReadFromTheSegment() throws IOException {
    Killed killed = new Killed();
    Path epochs = LOG_FOLDER.resolve("leader-epoch-checkpoint");
    InMemoryFileSystem without = killed.copy();
    without.deleteIfExists(epochs);
    killed.assertRecovered(without, 0, "without epochs");
    InMemoryFileSystem damaged = killed.copy();
    damaged.put(epochs, "0\n1\nzero 0\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    killed.assertRecovered(damaged, 0, "damaged epochs");
    assertThat(open(damaged.kill()).log().epochOfOffset(1)).isZero();
  }

  @Test
  void aRecoveryPointThatIsNotKnownMakesRecoveryReadAll() throws IOException {
    Killed killed = new Killed();
    Path points = DiskFolder.FOLDER.resolve("recovery-point-offset-checkpoint");
    InMemoryFileSystem without = killed.copy();
    without.deleteIfExists(points);
    killed.assertRecovered(without, 0, "without recovery points");
  }

  @Test
  void aForceThatHasFailedMakesRecoveryReadAll() throws IOException {
    Killed killed = new Killed();
    InMemoryFileSystem disk = killed.copy();
    disk.put(LOG_FOLDER.resolve("force-failed"), new byte[] {'x'});
    killed.assertRecovered(disk, 0, "after a failed force");
  }

  @Test
  void aCheckpointThatIsNotBelievedIsGoneBeforeAnythingIsCut() throws IOException {
    Killed killed = new Killed();
    InMemoryFileSystem damaged = killed.copy();
    damaged.flipBit(INDEX, damaged.size(INDEX) - 1, 0);
    damaged.put(LOG_FOLDER.resolve("force-failed"), new byte[] {'x'});
    List<String> changes = new ArrayList<>();
    damaged
        .faults()
        .observe(
            operation -> {
              if (operation.kind().isChange() && operation.path().startsWith(LOG_FOLDER)) {
                changes.add(operation.kind() + " " + operation.path().getFileName());
              }
            });
    open(damaged);
    assertThat(changes.subList(0, 2))
        .containsExactly("DELETE segment-checkpoint", "FORCE_FOLDER orders-0");
  }

  @Test
  void aBatchInFrontOfTheCheckpointThatIsDamagedLeadsToTheSegmentsStart() throws IOException {
    DiskFolder folder = open();
    int offset = appendThroughCheckpoint(folder, "a");
    folder.append("a", 2);
    InMemoryFileSystem disk = folder.disk().kill();
    long size = disk.size(LOG) / (offset + 2);
    disk.flipBit(LOG, size * offset - 1, 1);

    DiskFolder recovered = open(disk);
    assertThat(recoveredFrom(recovered)).isZero();
    assertThat(disk.exists(CHECKPOINT)).as("not believed").isFalse();
    // Nothing shows any more that the batch was on the disk: it is cut off as a torn tail is.
    assertThat(recovered.values()).isEqualTo(values("a", 0, offset - 1));
  }

  @Test
  void aDamagedBatchFurtherBelowCostsNothingElse() throws IOException {
    DiskFolder folder = open();
    appendThroughCheckpoint(folder, "a");
    int offset = appendThroughCheckpoint(folder, "a");
    folder.append("a", 2);
    InMemoryFileSystem disk = folder.disk().kill();
    disk.flipBit(LOG, disk.size(LOG) / (offset + 2) + 75, 1);

    DiskFolder recovered = open(disk);
    assertThat(recoveredFrom(recovered)).isEqualTo(offset);
    assertThat(recovered.log().logEndOffset()).isEqualTo(offset + 2);
    assertThat(recovered.values(0, 1)).isEqualTo(values("a", 0, 1));
    assertThatThrownBy(() -> recovered.values(1, 2)).isInstanceOf(CorruptSegmentException.class);
    assertThat(recovered.values(2, offset + 2)).isEqualTo(values("a", 2, offset + 2));
  }

  @Test
  void aCheckpointOfALogThatWasCutDoesNotComeBack() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      DiskFolder folder = open();
      int offset = appendThroughCheckpoint(folder, "a");
      folder.writer().truncateTo(offset - 2);
      assertThat(folder.disk().exists(CHECKPOINT)).isFalse();
      folder.append("b", 4);

      DiskFolder recovered = folder.after(PowerCut.seeded(seed));
      List<String> whole = new ArrayList<>(values("a", 0, offset - 2));
      whole.addAll(values("b", offset - 2, offset + 2));
      int found = recovered.values().size();
      assertThat(found).as("seed %d", seed).isGreaterThanOrEqualTo(offset - 2);
      assertWhole(recovered, whole.subList(0, found));
      assertThat(recoveredFrom(recovered)).as("seed %d", seed).isZero();
    }
  }

  @Test
  void aCutBehindTheCheckpointLeavesIt() throws IOException {
    DiskFolder folder = open();
    int offset = appendThroughCheckpoint(folder, "a");
    folder.append("a", 3);
    folder.writer().truncateTo(offset + 1);
    folder.append("a", 1);

    DiskFolder recovered = folder.after(PowerCut.keepingAll());
    assertThat(recoveredFrom(recovered)).isEqualTo(offset);
    assertGoesOn(recovered, offset + 2);
  }

  @Test
  void aCheckpointIsDroppedWhereTheLogIsCutBeforeTheFlushTakesIt() throws IOException {
    DiskFolder folder = open().append("a", 8);
    assertThat(folder.writer().flushTarget().demand(T)).isEqualTo(Demand.CHECKPOINT);
    folder.writer().truncateTo(3);
    folder.append("b", 1);
    folder.writer().flush();
    assertThat(folder.disk().exists(CHECKPOINT)).isFalse();
  }

  @Test
  void aFlushUnderWayDoesNotBringBackWhatACutHasRemoved() throws Exception {
    for (Kind held : List.of(Kind.FORCE, Kind.CREATE)) {
      DiskFolder folder = open().append("a", 8);
      FlushTarget flushes = folder.writer().flushTarget();
      FileGate gate =
          folder
              .disk()
              .faults()
              .hold(
                  operation ->
                      operation.kind() == held && operation.isOn("segment-checkpoint.tmp"));
      CompletableFuture<Void> flush =
          CompletableFuture.runAsync(
              () -> {
                try {
                  flushes.flush(Demand.CHECKPOINT);
                } catch (StorageException e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThat(gate.awaitArrival(Duration.ofMinutes(1))).as("%s", held).isTrue();
      folder.writer().truncateTo(3);
      folder.append("b", 6);
      gate.open();
      flush.join();

      assertThat(folder.disk().exists(CHECKPOINT)).as("%s", held).isFalse();
      List<String> whole = new ArrayList<>(values("a", 0, 3));
      whole.addAll(values("b", 3, 9));
      assertWhole(open(folder.disk().kill()), whole);
    }
  }

  @Test
  void whatCannotBeForcedMakesNoCheckpoint() throws IOException {
    for (Path path : List.of(INDEX, TIME_INDEX, TRANSACTIONS)) {
      DiskFolder folder = open().appendAborted(7).append("a", 8);
      folder
          .disk()
          .faults()
          .fail(operation -> operation.kind() == Kind.FORCE && operation.path().equals(path));
      folder.writer().flushTarget().flush(Demand.CHECKPOINT);
      assertThat(folder.disk().exists(CHECKPOINT)).as("%s", path).isFalse();
      assertThat(folder.log().isWritable()).isTrue();
      folder.disk().faults().clear();

      int offset = appendThroughCheckpoint(folder, "a");
      assertThat(recoveredFrom(open(folder.disk().kill()))).isEqualTo(offset);
    }
  }

  @Test
  void batchesThatCannotBeForcedMakeNoCheckpoint() throws IOException {
    DiskFolder folder = open().append("a", 8);
    folder
        .disk()
        .faults()
        .fail(operation -> operation.kind() == Kind.FORCE && operation.path().equals(LOG), 1);
    FlushTarget flushes = folder.writer().flushTarget();
    assertThatThrownBy(() -> flushes.flush(Demand.CHECKPOINT)).isInstanceOf(StorageException.class);
    assertThat(folder.disk().exists(CHECKPOINT)).isFalse();
  }

  @Test
  void anIndexThatCannotBeWrittenMakesNoCheckpointAndCostsNoAppend() throws IOException {
    DiskFolder folder = open();
    folder
        .disk()
        .faults()
        .fail(operation -> operation.kind() == Kind.WRITE && operation.path().equals(INDEX));
    folder.append("a", 8);
    assertThat(folder.writer().flushTarget().demand(T)).isEqualTo(Demand.NONE);
    assertThat(folder.log().isWritable()).isTrue();
    folder.disk().faults().clear();

    int offset = appendThroughCheckpoint(folder, "a");
    DiskFolder recovered = open(folder.disk().kill());
    assertThat(recoveredFrom(recovered)).isEqualTo(offset);
    assertGoesOn(recovered, offset);
  }

  @Test
  void indexesThatCannotBeExtendedAreMadeAnew() throws IOException {
    DiskFolder folder = open();
    int offset = appendThroughCheckpoint(folder, "a");
    folder.append("a", 4);
    InMemoryFileSystem disk = folder.disk().kill();
    disk.faults()
        .fail(operation -> operation.kind() == Kind.WRITE && operation.path().equals(INDEX));
    DiskFolder recovered = open(disk);
    assertThat(recoveredFrom(recovered)).isEqualTo(offset);
    disk.faults().clear();
    assertGoesOn(recovered, offset + 4);
  }

  @Test
  void aTransactionThatIsOpenAcrossTheCheckpointIsAborted() throws IOException {
    DiskFolder folder = open();
    folder.append(transactional(0), AppendOrigin.CLIENT);
    int offset = appendThroughCheckpoint(folder, "a");
    assertThat(folder.log().lastStableOffset()).isZero();
    folder.append(transactional(1), AppendOrigin.CLIENT);

    DiskFolder open = open(folder.disk().kill());
    assertThat(recoveredFrom(open)).isEqualTo(offset);
    assertThat(open.log().lastStableOffset()).isZero();
    assertThat(open.append(transactional(1), AppendOrigin.CLIENT))
        .as("sent again")
        .isEqualTo(new AppendResult.Duplicate(offset, offset, -1, 0));

    open.append(
        RecordBatchBuilder.endTransaction(new EndTransactionMarker(false, 1), 7, (short) 0, T),
        AppendOrigin.COORDINATOR);
    DiskFolder ended = open(open.disk().kill());
    assertThat(recoveredFrom(ended)).isEqualTo(offset);
    assertThat(ended.log().abortedTransactions(0, offset + 2))
        .containsExactly(new AbortedTransaction(7, 0, offset + 1, offset + 2));
  }

  private static ByteBuffer transactional(int sequence) {
    return new RecordBatchBuilder()
        .producer(7, (short) 0, sequence)
        .transactional()
        .append(T, null, ByteBuffer.wrap(new byte[10]))
        .build();
  }

  @Test
  void theLargestTimestampMayLieFarBelow() throws IOException {
    DiskFolder folder = open();
    folder.append(
        new RecordBatchBuilder().append(T + 500, null, ByteBuffer.wrap(new byte[10])).build(),
        AppendOrigin.CLIENT);
    int offset = appendThroughCheckpoint(folder, "a");
    folder.append("a", 3);

    DiskFolder recovered = open(folder.disk().kill());
    assertThat(recoveredFrom(recovered)).isEqualTo(offset);
    recovered.append("a", 5);
    recovered.writer().roll();
    recovered.append("a", 1);
    TimestampedOffset largest = new TimestampedOffset(0, T + 500, 0);
    long end = recovered.log().logEndOffset();
    assertThat(recovered.log().findMaxTimestamp()).contains(largest);
    assertThat(recovered.log().findByTimestamp(T + 400, end)).contains(largest);
    recovered.directory().close();
    assertThat(open(recovered.disk()).log().findByTimestamp(T + 400, end)).contains(largest);
  }

  @Test
  void aSegmentThatWasSealedBehindItsCheckpointIsReadFromThereOn() throws IOException {
    for (int behind : List.of(0, 2)) {
      for (long seed = 0; seed < SEEDS; seed++) {
        DiskFolder folder = open();
        int offset = appendThroughCheckpoint(folder, "a");
        folder.append("a", behind);
        folder.writer().roll();
        folder.append("a", 3);

        DiskFolder recovered = folder.after(PowerCut.seeded(seed));
        assertThat(recoveredFrom(recovered)).as("seed %d", seed).isEqualTo(offset);
        assertGoesOn(recovered, (int) recovered.log().logEndOffset());
      }
    }
  }

  @Test
  void aCheckpointOfAnEarlierSegmentDoesNotCount() throws IOException {
    DiskFolder folder = open();
    int offset = appendThroughCheckpoint(folder, "a");
    folder.writer().roll();
    folder.append("a", 3);
    folder.writer().flush();
    folder.directory().writeCheckpoints();
    folder.append("a", 1);

    DiskFolder recovered = open(folder.disk().kill());
    assertThat(recoveredFrom(recovered)).isEqualTo(offset);
    assertThat(folder.log().segmentCount()).isEqualTo(2);
    assertGoesOn(recovered, offset + 4);
  }

  @Test
  void aStartAfterACleanStopDoesNotOpenIt() throws IOException {
    DiskFolder folder = open();
    int offset = appendThroughCheckpoint(folder, "a");
    folder.append("a", 1);
    folder.directory().close();
    folder.disk().counts().reset();

    DiskFolder again = open(folder.disk());
    assertThat(recoveredFrom(again)).isEqualTo(LoadedLog.NOT_RECOVERED);
    assertThat(folder.disk().counts().operations(Kind.OPEN, CHECKPOINT::equals)).isZero();
    again.append("a", 1);
    DiskFolder killed = open(again.disk().kill());
    assertThat(recoveredFrom(killed)).as("behind the stop too").isEqualTo(offset);
    assertGoesOn(killed, offset + 2);
  }
}
