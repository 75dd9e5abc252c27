package io.weirmq.testkit.storage.crash;

import static io.weirmq.testkit.storage.crash.DiskFolder.SMALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.StorageException;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import io.weirmq.testkit.storage.PowerCut;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The machine dies again while the log is being repaired. */
class RecoveryCrashTest {

  private static final List<String> KINDS =
      List.of(".log", ".index", ".timeindex", ".txnindex", ".snapshot", "leader-epoch-checkpoint");

  /**
   * A disk with much to repair: sealed segments behind the recovery point, a batch damaged in one
   * of them, and files that were to be removed.
   */
  private static InMemoryFileSystem damaged() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL).append("a", 9);
    folder.writer().flush();
    folder.directory().writeCheckpoints();
    folder.writer().deleteRecordsBefore(6);
    folder.append("b", 3).appendAborted(7).append("c", 9).appendAborted(8).append("d", 6);
    InMemoryFileSystem disk = folder.disk().cutPower(PowerCut.keepingAll());
    List<Path> logs =
        disk.files().keySet().stream().filter(file -> file.toString().endsWith(".log")).toList();
    assertThat(logs).hasSizeGreaterThan(4);
    disk.flipBit(logs.get(logs.size() - 3), 75, 2);
    return disk;
  }

  @Test
  @DisplayName(
      "ST-03 recovery that is interrupted after any file operation gives the same in the end")
  void st03_interruptedAtEveryStep() throws IOException {
    InMemoryFileSystem damaged = damaged();
    InMemoryFileSystem whole = damaged.cutPower(PowerCut.keepingAll());
    DiskFolder once = DiskFolder.open(whole, SMALL);
    List<String> values = once.values();
    long changes = whole.faults().changes();
    Map<String, String> expected = contents(whole);
    assertThat(changes).isGreaterThan(40);
    assertThat(expected.keySet()).hasSizeGreaterThan(15);

    for (long step = 0; step < changes; step++) {
      for (PowerCut cut :
          List.of(PowerCut.losingAll(), PowerCut.keepingAll(), PowerCut.seeded(step))) {
        InMemoryFileSystem first = damaged.cutPower(PowerCut.keepingAll());
        interrupt(first, step);
        // And once more, a little later, in what the first one has left.
        InMemoryFileSystem second = first.cutPower(cut);
        interrupt(second, step / 2);
        DiskFolder recovered = DiskFolder.open(second.cutPower(cut), SMALL);

        String where = "interrupted before change %d of %d, %s".formatted(step, changes, cut);
        assertThat(recovered.values()).as(where).isEqualTo(values);
        assertThat(contents(recovered.disk())).as(where).isEqualTo(expected);
      }
    }
  }

  private static void interrupt(InMemoryFileSystem disk, long step) {
    disk.faults().powerOffAfter(step);
    try {
      DiskFolder.open(disk, SMALL);
    } catch (StorageException e) {
      assertThat(disk.faults().isPowerOff()).as("%s", e).isTrue();
    }
  }

  /** The files of the log that count, as text. */
  private static Map<String, String> contents(InMemoryFileSystem disk) {
    Map<String, String> contents = new TreeMap<>();
    disk.files()
        .forEach(
            (path, bytes) -> {
              String name = path.getFileName().toString();
              if (path.toString().contains("orders-0/")
                  && KINDS.stream().anyMatch(name::endsWith)) {
                contents.put(name, new String(bytes, StandardCharsets.ISO_8859_1));
              }
            });
    return contents;
  }
}
