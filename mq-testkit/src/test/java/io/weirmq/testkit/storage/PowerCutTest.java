package io.weirmq.testkit.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a power cut leaves. Outcomes are written down by hand, then looked for over many seeds. */
class PowerCutTest {

  private static final int SEEDS = 4_000;
  private static final Path FOLDER = Path.of("/data");
  private static final Path FILE = FOLDER.resolve("file");

  private final InMemoryFileSystem disk = new InMemoryFileSystem();

  @BeforeEach
  void makeFolder() throws IOException {
    disk.createDirectories(FOLDER);
    disk.forceDirectory(Path.of("/"));
  }

  private LogFile create(Path file) throws IOException {
    LogFile opened = disk.open(file, OpenMode.CREATE_NEW);
    disk.forceDirectory(FOLDER);
    return opened;
  }

  private static void write(LogFile file, String text, long position) throws IOException {
    file.writeFully(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), position);
  }

  /** The content of the file after cuts of all seeds, zeros as dots; "-" where it is not there. */
  private Set<String> outcomes() throws IOException {
    Set<String> found = new HashSet<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      found.add(text(disk.cutPower(PowerCut.seeded(seed))));
    }
    return found;
  }

  private static String text(InMemoryFileSystem files) throws IOException {
    return files.exists(FILE)
        ? new String(files.bytes(FILE), StandardCharsets.US_ASCII).replace('\0', '.')
        : "-";
  }

  @Test
  void forcedBytesOfAForcedNameAlwaysSurvive() throws IOException {
    try (LogFile file = create(FILE)) {
      write(file, "abc", 0);
      file.force();
      assertThat(outcomes()).containsExactly("abc");
    }
  }

  @Test
  void anUnforcedWriteIsLostKeptTornOrZeros() throws IOException {
    try (LogFile file = create(FILE)) {
      write(file, "ab", 0);
      file.force();
      write(file, "xyz", 2);
      assertThat(outcomes()).containsExactlyInAnyOrder("ab", "abx", "abxy", "abxyz", "ab...");
    }
  }

  @Test
  void laterWritesSurviveEarlierOnesAndTheHoleIsZeros() throws IOException {
    try (LogFile file = create(FILE)) {
      write(file, "ab", 0);
      write(file, "yz", 2);
      assertThat(outcomes())
          .containsExactlyInAnyOrder(
              "", "a", "ab", "..", "aby", "abyz", "ab..", "..y", "..yz", "....", "a.y", "a.yz",
              "a...");
    }
  }

  @Test
  void anOverwriteThatIsLostLeavesTheOldBytes() throws IOException {
    try (LogFile file = create(FILE)) {
      write(file, "abcd", 0);
      file.force();
      write(file, "XY", 1);
      assertThat(outcomes()).containsExactlyInAnyOrder("abcd", "aXcd", "aXYd");
    }
  }

  @Test
  void aTruncationIsLostOrKeptWhateverFollows() throws IOException {
    try (LogFile file = create(FILE)) {
      write(file, "abcd", 0);
      file.force();
      file.truncate(1);
      assertThat(file.size()).isEqualTo(1);
      write(file, "Z", 1);
      assertThat(outcomes()).containsExactlyInAnyOrder("abcd", "a", "aZ", "aZcd", "a.");
    }
  }

  @Test
  void sectorsOfOneWriteSurviveOnTheirOwn() throws IOException {
    try (LogFile file = create(FILE)) {
      String sector = "x".repeat(PowerCut.SECTOR_BYTES);
      write(file, sector + "yy", 0);
      assertThat(outcomes()).contains(".".repeat(PowerCut.SECTOR_BYTES) + "yy", sector);
    }
  }

  @Test
  void unforcedNamesSurviveUpToOneOfThem() throws IOException {
    Path temporary = FOLDER.resolve("file.tmp");
    try (LogFile file = create(FILE)) {
      write(file, "old", 0);
      file.force();
    }
    try (LogFile file = disk.open(temporary, OpenMode.CREATE_NEW)) {
      write(file, "new", 0);
      file.force();
    }
    disk.rename(temporary, FILE);
    disk.deleteIfExists(FILE);
    assertThat(outcomes()).containsExactlyInAnyOrder("old", "new", "-");
  }

  @Test
  void aNameIsNotDurableByForcingItsFile() throws IOException {
    try (LogFile file = disk.open(FILE, OpenMode.CREATE_NEW)) {
      write(file, "abc", 0);
      file.force();
      assertThat(outcomes()).containsExactlyInAnyOrder("-", "abc");
    }
  }

  @Test
  void aRenamedFileWhoseBytesWereNotForcedMayBeEmpty() throws IOException {
    Path temporary = FOLDER.resolve("file.tmp");
    try (LogFile file = disk.open(temporary, OpenMode.CREATE_NEW)) {
      write(file, "n", 0);
    }
    disk.rename(temporary, FILE);
    disk.forceDirectory(FOLDER);
    assertThat(outcomes()).containsExactlyInAnyOrder("", "n", ".");
  }

  @Test
  void aForcedFolderIsLostWithAnUnforcedOneAboveIt() throws IOException {
    Path below = FOLDER.resolve("below");
    disk.createDirectories(below);
    try (LogFile file = disk.open(below.resolve("file"), OpenMode.CREATE_NEW)) {
      write(file, "abc", 0);
      file.force();
    }
    disk.forceDirectory(below);
    assertThat(disk.cutPower(PowerCut.losingAll()).exists(below)).isFalse();
    assertThat(disk.cutPower(PowerCut.keepingAll()).bytes(below.resolve("file"))).hasSize(3);
  }

  @Test
  void whatAFailedForceShouldHaveCoveredStaysInDoubt() throws IOException {
    try (LogFile file = create(FILE)) {
      write(file, "ab", 0);
      disk.faults().fail(operation -> operation.kind() == FileOperation.Kind.FORCE, 1);
      assertThatThrownBy(file::force).isInstanceOf(IOException.class).hasMessageContaining("FORCE");
      write(file, "c", 2);
      file.force();
      assertThat(outcomes()).containsExactlyInAnyOrder("..c", "a.c", "abc");
    }
  }

  @Test
  void theFirstOperationAfterTheLastChangeFailsAndAllBehindIt() throws IOException {
    LogFile file = create(FILE);
    disk.faults().powerOffAfter(1);
    write(file, "a", 0);
    assertThatThrownBy(() -> write(file, "b", 1)).isInstanceOf(PowerOffException.class);
    assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0))
        .isInstanceOf(PowerOffException.class);
    assertThatThrownBy(file::force).isInstanceOf(PowerOffException.class);
    assertThatThrownBy(() -> disk.list(FOLDER)).isInstanceOf(PowerOffException.class);
    assertThat(text(disk.kill())).isEqualTo("a");
    file.close();
  }

  @Test
  void whatIsLeftWorksAndIsDurable() throws IOException {
    LogFile old = create(FILE);
    write(old, "abc", 0);
    InMemoryFileSystem after = disk.cutPower(PowerCut.keepingAll());
    assertThatThrownBy(old::size).isInstanceOf(PowerOffException.class);
    assertThat(text(after.cutPower(PowerCut.losingAll()))).isEqualTo("abc");
    old.close();
    try (LogFile file = disk.cutPower(PowerCut.keepingAll()).open(FILE, OpenMode.READ_WRITE)) {
      write(file, "d", 3);
      assertThat(file.size()).isEqualTo(4);
    }
  }

  @Test
  void aKilledProcessLeavesEverythingAndMakesNothingDurable() throws IOException {
    LogFile old = create(FILE);
    write(old, "abc", 0);
    old.force();
    write(old, "def", 3);
    disk.rename(FILE, FOLDER.resolve("other"));
    disk.lock(FOLDER.resolve("lock"), "old");

    InMemoryFileSystem next = disk.kill();
    assertThatThrownBy(old::size).isInstanceOf(PowerOffException.class);
    assertThat(next.bytes(FOLDER.resolve("other"))).hasSize(6);
    assertThat(next.usedBytes()).isEqualTo(6 + "old\n".length());
    next.lock(FOLDER.resolve("lock"), "next");
    assertThat(text(next)).isEqualTo("-");
    assertThat(text(next.cutPower(PowerCut.losingAll()))).isEqualTo("abc");
  }

  @Test
  void theSameSeedLeavesTheSame() throws IOException {
    try (LogFile file = create(FILE)) {
      for (int i = 0; i < 20; i++) {
        write(file, "abc", i * 3L);
      }
      for (long seed = 0; seed < 50; seed++) {
        assertThat(disk.cutPower(PowerCut.seeded(seed)).bytes(FILE))
            .as("seed %d", seed)
            .isEqualTo(disk.cutPower(PowerCut.seeded(seed)).bytes(FILE));
      }
    }
  }
}
