package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a segment file, and what is not. */
class LogWindowTest {

  @TempDir Path folder;

  private final LogWindow window = new LogWindow(4096, 100_000);
  private Path file;

  @BeforeEach
  void create() throws Exception {
    file = Files.createFile(folder.resolve("00000000000000000000.log"));
  }

  private int append(long baseOffset, int valueBytes) throws Exception {
    ByteBuffer batch =
        new RecordBatchBuilder()
            .baseOffset(baseOffset)
            .append(0, null, ByteBuffer.allocate(valueBytes))
            .build();
    byte[] bytes = new byte[batch.remaining()];
    batch.get(bytes);
    Files.write(file, bytes, StandardOpenOption.APPEND);
    return bytes.length;
  }

  private static long inode(Path path) throws Exception {
    return (Long) Files.getAttribute(path, "unix:ino");
  }

  private long take() throws Exception {
    assertThat(window.next()).isEqualTo(LogWindow.Next.READY);
    window.batch().ensureValid();
    long offset = window.batch().baseOffset();
    window.take();
    return offset;
  }

  @Test
  void readsBatchesOfAllSizesUpToTheEndThatWasGranted() throws Exception {
    int length = append(0, 10) + append(1, 50_000) + append(2, 4000) + append(3, 0);
    append(4, 10);
    window.open(file, inode(file), 0, length);
    assertThat(take()).isZero();
    assertThat(take()).isEqualTo(1);
    assertThat(take()).isEqualTo(2);
    assertThat(take()).isEqualTo(3);
    assertThat(window.next()).isEqualTo(LogWindow.Next.AT_END);
  }

  @Test
  void anInterruptEndsTheReadAndTheFileCanBeOpenedAgain() throws Exception {
    int length = append(0, 10);
    window.open(file, inode(file), 0, length);

    Thread.currentThread().interrupt();
    assertThatThrownBy(window::next).isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).as("stays set").isTrue();

    window.close();
    window.open(file, inode(file), 0, length);
    assertThat(take()).isZero();
  }

  @Test
  void tellsABatchThatIsCutFromTheEnd() throws Exception {
    int first = append(0, 10);
    append(1, 10);
    window.open(file, inode(file), 0, first + 30);
    assertThat(take()).isZero();
    assertThat(window.next()).isEqualTo(LogWindow.Next.CUT);
    window.open(file, inode(file), 0, first + 70);
    take();
    assertThat(window.next()).isEqualTo(LogWindow.Next.CUT);
  }

  @Test
  void followsAFileThatGrows_andReadsAgainWhatWasNotTaken() throws Exception {
    int first = append(0, 10);
    window.open(file, inode(file), 0, first);
    take();
    window.growing();
    assertThat(window.next()).isEqualTo(LogWindow.Next.AT_END);
    append(1, 10);
    assertThat(window.next()).isEqualTo(LogWindow.Next.READY);
    window.discardUntaken();
    append(2, 10);
    assertThat(take()).isEqualTo(1);
    assertThat(take()).isEqualTo(2);
  }

  @Test
  void aFileThatHasTakenTheNameIsNotMistakenForTheOneThatWasGranted() throws Exception {
    int length = append(0, 10);
    long granted = inode(file);
    Path swapped = Files.writeString(folder.resolve("cleaned"), "x".repeat(500));
    Files.move(swapped, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    assertThatThrownBy(() -> window.open(file, granted, 0, length))
        .isInstanceOf(NoSuchFileException.class);
    Files.delete(file);
    assertThatThrownBy(() -> window.open(file, granted, 0, length))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void anOpenFileOutlivesItsName() throws Exception {
    int length = append(0, 10) + append(1, 50_000);
    window.open(file, inode(file), 0, length);
    take();
    Files.delete(file);
    assertThat(take()).isEqualTo(1);
  }

  @Test
  void aLengthThatCannotBeIsRefused_andTakesNoMemory() throws Exception {
    append(0, 10);
    byte[] bytes = Files.readAllBytes(file);
    for (int length : new int[] {-1, 0, 30, 100_000, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      ByteBuffer.wrap(bytes).putInt(8, length);
      Files.write(file, bytes);
      window.open(file, inode(file), 0, bytes.length);
      assertThatThrownBy(window::next)
          .isInstanceOf(IpcException.class)
          .hasMessageContaining("00000000000000000000.log at position 0: batch claims");
    }
  }

  @Test
  void bytesThatWereReceivedAreReadLikeAFile() throws Exception {
    append(0, 10);
    append(1, 10);
    ByteBuffer received = ByteBuffer.wrap(Files.readAllBytes(file));
    received.limit(received.limit() - 1);
    window.open(received);
    assertThat(take()).isZero();
    assertThat(window.next()).isEqualTo(LogWindow.Next.CUT);
  }
}
