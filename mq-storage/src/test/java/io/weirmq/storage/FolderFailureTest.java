package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a refusal of the disk is the failure of the whole data folder, and when it is not. */
class FolderFailureTest {

  private static final long T = TestFolder.NOW_MS;
  private static final TopicPartition OTHER = new TopicPartition("bills", 0);

  @TempDir Path temporary;

  private final FaultyFileSystem files = new FaultyFileSystem();
  private TestFolder folder;
  private TestLog other;

  @BeforeEach
  void open() throws IOException {
    folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults(), files);
    folder.log().append(T);
    PartitionLog made = folder.directory().create(OTHER, new UUID(3, 4), LogConfig.defaults());
    other = new TestLog(made, folder.clock());
  }

  @AfterEach
  void close() {
    files.allowAll();
    folder.closeAnyhow();
  }

  @Test
  @DisplayName("ST-10 a force that one file refuses fails its log, not the folder")
  void st10_oneDamagedFileIsNoFailureOfTheFolder() throws IOException {
    files.refuseForce(file -> file.startsWith(folder.logFolder()));
    assertThatThrownBy(() -> folder.log().writer().flush()).isInstanceOf(StorageException.class);

    assertThat(folder.log().append(T + 1)).isInstanceOf(AppendResult.Failed.class);
    assertThat(folder.directory().failure()).isEmpty();
    assertThat(other.append(T)).isEqualTo(new AppendResult.Appended(0, 0, -1, 0));
    other.writer().flush();
  }

  @Test
  @DisplayName("ST-10 where the folder itself refuses, too, it has failed; reads go on")
  void st10_aDiskThatRefusesTheProbeHasFailed() throws IOException {
    files.refuseForce(file -> true);
    assertThatThrownBy(() -> folder.log().writer().flush()).isInstanceOf(StorageException.class);

    assertThat(folder.directory().failure())
        .hasValueSatisfying(
            e ->
                assertThat(e)
                    .hasMessageContaining(folder.path() + " has failed")
                    .hasMessageContaining("00000000000000000000.log can't be forced")
                    .hasMessageContaining("refused: meta.properties"));
    assertThat(folder.log().baseOffsets(0, 1_000, 1)).containsExactly(0L);
    files.allowAll();
    assertThat(folder.directory().failure()).as("until the next start").isPresent();
    assertThatThrownBy(
            () ->
                folder
                    .directory()
                    .create(new TopicPartition("new", 0), new UUID(5, 6), LogConfig.defaults()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("has failed");
    assertThat(folder.path().resolve("new-0")).doesNotExist();
  }

  @Test
  @DisplayName("ST-10 names that can't be forced in the folder are its failure")
  void st10_namesOfTheFolder() throws IOException {
    other.append(T);
    files.refuseForce(file -> file.equals(folder.path()));
    assertThatThrownBy(() -> other.writer().flush()).isInstanceOf(StorageException.class);

    assertThat(folder.directory().failure()).isPresent();
  }

  @Test
  @DisplayName("ST-10 a probe follows a refusal once a second at most")
  void st10_probesAreRare() {
    files.refuseForce(file -> file.toString().endsWith(".log"));
    assertThatThrownBy(() -> folder.log().writer().flush()).isInstanceOf(StorageException.class);
    assertThat(folder.directory().failure()).as("probed, and well").isEmpty();

    files.refuseForce(file -> true);
    assertThatThrownBy(() -> folder.directory().writeCheckpoints())
        .isInstanceOf(StorageException.class);
    assertThat(folder.directory().failure()).as("too early for another").isEmpty();

    folder.clock().advance(1_000);
    assertThatThrownBy(() -> folder.directory().writeCheckpoints())
        .isInstanceOf(StorageException.class);
    assertThat(folder.directory().failure()).isPresent();
  }

  @Test
  @DisplayName("ST-06 a full disk is none that has failed, and takes a log that was refused before")
  void st06_lackOfRoomIsNoFailure() throws IOException {
    TopicPartition late = new TopicPartition("late", 0);
    files.refuseWrites(file -> true, 0);
    assertThatThrownBy(() -> folder.log().append(T + 1)).isInstanceOf(StorageException.class);
    assertThatThrownBy(() -> folder.directory().create(late, new UUID(7, 8), LogConfig.defaults()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("No space left");

    assertThat(folder.directory().failure()).isEmpty();
    assertThat(folder.path().resolve("late-0")).as("nothing is left of it").doesNotExist();
    files.allowAll();
    folder.clock().advance(1_000);
    assertThat(folder.directory().create(late, new UUID(7, 8), LogConfig.defaults()).logEndOffset())
        .isZero();
    assertThat(folder.log().append(T + 2)).isEqualTo(new AppendResult.Appended(1, 1, -1, 0));
  }
}
