package io.weirmq.testkit.storage.crash;

import static io.weirmq.testkit.storage.crash.DiskFolder.SMALL;
import static io.weirmq.testkit.storage.crash.DiskFolder.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.StorageException;
import io.weirmq.testkit.storage.FileOperation.Kind;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import io.weirmq.testkit.storage.PowerCut;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A force fails, the process is started again on the same operating system, and its forces succeed.
 * What the failed one should have covered is still read, but from memory: the operating system
 * takes it for written.
 */
class FailedForceRestartTest {

  @Test
  @DisplayName("ST-10 after a restart a flush counts for what a failed force has left in doubt")
  void st10_flushAfterARestart() throws IOException {
    // In the active segment only, in a sealed one too, and in two sealed ones.
    for (int count : new int[] {1, 4, 9}) {
      DiskFolder folder = DiskFolder.open(SMALL).append("a", 3);
      folder.writer().flush();
      folder.append("a", count);
      failOneForce(folder.disk());
      assertThatThrownBy(() -> folder.writer().flush()).isInstanceOf(StorageException.class);
      assertThatThrownBy(() -> folder.writer().flush())
          .as("a force that would succeed")
          .isInstanceOf(StorageException.class);

      DiskFolder restarted = DiskFolder.open(folder.disk().kill(), SMALL);
      assertThat(restarted.values()).as("%d behind the flush", count).hasSize(3 + count);
      restarted.writer().flush();

      assertThat(restarted.after(PowerCut.losingAll()).values())
          .as("%d behind the flush", count)
          .isEqualTo(values("a", 0, 3 + count));
    }
  }

  private static void failOneForce(InMemoryFileSystem disk) {
    disk.faults()
        .fail(
            operation ->
                operation.kind() == Kind.FORCE && operation.path().toString().endsWith(".log"),
            1);
  }

  private static void assertFlushCounts(DiskFolder folder, List<String> expected)
      throws IOException {
    assertThat(folder.values()).isEqualTo(expected);
    folder.writer().flush();
    assertThat(folder.after(PowerCut.losingAll()).values()).isEqualTo(expected);
  }

  @Test
  @DisplayName("ST-10 half a write that can't be cut off for good fails the log, too")
  void st10_forceAfterAFullDisk() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL).append("a", 2);
    InMemoryFileSystem disk = folder.disk();
    disk.capacityBytes(disk.usedBytes() + 10);
    disk.faults().fail(operation -> operation.kind() == Kind.TRUNCATE, 1);
    assertThatThrownBy(() -> folder.append("full", 1)).isInstanceOf(StorageException.class);
    assertThat(folder.log().isWritable()).isFalse();
    disk.capacityBytes(Long.MAX_VALUE);
    failOneForce(disk);

    assertThatThrownBy(() -> folder.directory().close())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("can't be forced");

    assertFlushCounts(DiskFolder.open(disk.kill(), SMALL), values("a", 0, 2));
  }

  @Test
  @DisplayName("ST-10 a cut that can't be forced fails the log, and what it kept is written again")
  void st10_forceOfACut() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL).append("a", 4);
    failOneForce(folder.disk());

    assertThatThrownBy(() -> folder.writer().truncateTo(2)).isInstanceOf(StorageException.class);
    assertThatThrownBy(() -> folder.writer().flush()).isInstanceOf(StorageException.class);

    assertFlushCounts(DiskFolder.open(folder.disk().kill(), SMALL), values("a", 0, 2));
  }

  @Test
  @DisplayName("ST-10 a force that fails in recovery leaves its work to the next start")
  void st10_forceInRecovery() throws IOException {
    DiskFolder folder = DiskFolder.open(SMALL).append("a", 4);
    InMemoryFileSystem torn = folder.disk().kill();
    Path file = DiskFolder.FOLDER.resolve("orders-0/00000000000000000000.log");
    torn.flipBit(file, torn.size(file) - 1, 3);
    failOneForce(torn);
    assertThatThrownBy(() -> DiskFolder.open(torn, SMALL)).isInstanceOf(StorageException.class);

    assertFlushCounts(DiskFolder.open(torn.kill(), SMALL), values("a", 0, 3));
  }
}
