package io.weirmq.testkit.storage.crash;

import static io.weirmq.testkit.storage.crash.DiskFolder.SMALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.StorageException;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import io.weirmq.testkit.storage.PowerCut;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The machine dies while what is remembered of transaction indexes is written. */
class TransactionRecordCrashTest {

  private static final int FIRST = 4;
  private static final int ALL = 9;

  /** Producer and offset of each transaction; one record and its marker. */
  private final List<AbortedTransaction> expected = new ArrayList<>();

  private void appendAborted(DiskFolder folder, long producerId) throws StorageException {
    long first = folder.log().logEndOffset();
    folder.appendAborted(producerId);
    folder.append("r", 1);
    expected.add(new AbortedTransaction(producerId, first, first + 1, first + 2));
  }

  /** A disk after a clean stop, whose record is about to become an old one. */
  private InMemoryFileSystem stopped() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL);
    for (int i = 0; i < FIRST; i++) {
      appendAborted(folder, i);
    }
    folder.directory().close();
    return folder.disk();
  }

  /** Goes on from there, and stops in order; the power is cut somewhere on the way. */
  private void goOn(InMemoryFileSystem disk) throws StorageException {
    DiskFolder folder = DiskFolder.open(disk, SMALL);
    for (int i = FIRST; i < ALL; i++) {
      appendAborted(folder, i);
      if (i % 3 == 0) {
        folder.writer().flush();
        folder.directory().writeCheckpoints();
      }
    }
    folder.directory().close();
  }

  private static List<AbortedTransaction> aborted(DiskFolder folder) throws StorageException {
    return folder.log().abortedTransactions(0, folder.log().logEndOffset());
  }

  @Test
  @DisplayName("IX-01 a power cut at any step of a run and its stop: no abort is lost, ever")
  void ix01_powerCutAtEveryStep() throws IOException {
    InMemoryFileSystem stopped = stopped();
    InMemoryFileSystem whole = stopped.cutPower(PowerCut.keepingAll());
    goOn(whole);
    long changes = whole.faults().changes();
    List<AbortedTransaction> all = List.copyOf(expected);
    assertThat(all).hasSize(ALL);
    assertThat(changes).isGreaterThan(60);

    for (long step = 0; step <= changes; step++) {
      for (PowerCut cut :
          List.of(PowerCut.losingAll(), PowerCut.keepingAll(), PowerCut.seeded(step))) {
        InMemoryFileSystem disk = stopped.cutPower(PowerCut.keepingAll());
        disk.faults().powerOffAfter(step);
        try {
          goOn(disk);
        } catch (StorageException | AssertionError e) {
          // An append that was refused is an assertion that fails.
          assertThat(disk.faults().isPowerOff()).as("%s", e).isTrue();
        }
        String where = "cut before change %d of %d, %s".formatted(step, changes, cut);

        DiskFolder after = DiskFolder.open(disk.cutPower(cut), SMALL);
        long end = after.log().logEndOffset();
        List<AbortedTransaction> there =
            all.stream().filter(each -> each.lastOffset() < end).toList();
        assertThat(there).as(where).hasSizeGreaterThanOrEqualTo(FIRST);
        assertThat(aborted(after)).as(where).isEqualTo(there);

        after.directory().close();
        removeIndexes(after.disk());
        DiskFolder again = DiskFolder.open(after.disk(), SMALL);
        assertThat(aborted(again)).as("without indexes, %s", where).isEqualTo(there);
      }
    }
  }

  private static void removeIndexes(InMemoryFileSystem disk) throws IOException {
    List<Path> indexes =
        disk.files().keySet().stream()
            .filter(file -> file.toString().endsWith(".txnindex"))
            .toList();
    assertThat(indexes).isNotEmpty();
    for (Path index : indexes) {
      disk.deleteIfExists(index);
    }
  }
}
