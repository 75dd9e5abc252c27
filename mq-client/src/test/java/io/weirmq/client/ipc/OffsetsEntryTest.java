package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A published entry while the broker ends it and gives it to another partition. */
class OffsetsEntryTest {

  private static final UUID TOPIC = new UUID(3, 4);
  private static final UUID OTHER = new UUID(5, 6);
  private static final int AT = 64;

  @TempDir Path folder;

  private Path file;
  private long inode;
  private ByteBuffer memory;

  @BeforeEach
  void make() throws Exception {
    file = folder.resolve("offsets");
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, 128).order(ByteOrder.nativeOrder());
    }
    inode = (Long) Files.getAttribute(file, "unix:ino");
    memory.putLong(0, 0x77656972_6f666673L);
  }

  private void write(UUID topic, int partition, long lastStableOffset, long highWatermark) {
    memory
        .putLong(AT + 16, lastStableOffset)
        .putLong(AT + 24, highWatermark)
        .putLong(AT + 32, topic.getMostSignificantBits())
        .putLong(AT + 40, topic.getLeastSignificantBits())
        .putLong(AT + 48, partition);
  }

  private void state(int generation, int state) {
    memory.putLong(AT, generation * 4L + state);
  }

  private OffsetsEntry open(boolean readCommitted) throws Exception {
    return OffsetsEntry.open(file.toString(), inode, AT, TOPIC, 2, readCommitted);
  }

  @Test
  void tellsTheOffsetsOfItsPartition() throws Exception {
    write(TOPIC, 2, 70, 90);
    state(9, 1);
    assertThat(open(false).visibleEnd()).isEqualTo(90);
    assertThat(open(true).visibleEnd()).isEqualTo(70);
    assertThat(open(true).isLive()).isTrue();
  }

  @Test
  void anEntryOfAnotherTopicOrPartitionIsNotLive() throws Exception {
    state(0, 1);
    write(OTHER, 2, 70, 90);
    assertThat(open(false).isLive()).isFalse();
    write(TOPIC, 1, 70, 90);
    assertThat(open(false).isLive()).isFalse();
    assertThat(open(false).visibleEnd()).isEqualTo(-1);
  }

  @Test
  void theNextGenerationIsNotTakenForThisOne() throws Exception {
    write(TOPIC, 2, 70, 90);
    state(0, 1);
    OffsetsEntry entry = open(false);
    state(0, 2);
    assertThat(entry.isLive()).isFalse();
    assertThat(entry.visibleEnd()).isEqualTo(-1);

    write(OTHER, 0, 1_000, 1_000);
    state(1, 1);
    assertThat(entry.isLive()).isFalse();
    assertThat(entry.visibleEnd()).isEqualTo(-1);

    state(1, 2);
    write(TOPIC, 2, 95, 95);
    state(2, 1);
    assertThat(entry.visibleEnd()).as("asks, and opens it anew").isEqualTo(-1);
    assertThat(open(false).visibleEnd()).isEqualTo(95);
  }

  @Test
  void randomContentEndsAnEntry_andIsNotOpened() throws Exception {
    write(TOPIC, 2, 70, 90);
    state(9, 1);
    try (OffsetsEntry entry = open(false)) {
      byte[] noise = new byte[128];
      new Random(1).nextBytes(noise);
      Files.write(file, noise, StandardOpenOption.WRITE);
      assertThat(entry.isLive()).isFalse();
      assertThat(entry.visibleEnd()).isEqualTo(-1);
      assertThat(entry.isWhole()).as("as long as it was").isTrue();
      assertThatThrownBy(() -> open(false))
          .isInstanceOf(IOException.class)
          .hasMessage(file + " holds no offsets");
    }
  }

  @Test
  void aFileThatWasCutIsNoticed() throws Exception {
    write(TOPIC, 2, 70, 90);
    state(9, 1);
    try (OffsetsEntry entry = open(false)) {
      assertThat(entry.isWhole()).isTrue();
      truncate(AT + 63);
      assertThat(entry.isWhole()).as("one byte is missing").isFalse();
      assertThatThrownBy(() -> open(false))
          .isInstanceOf(IOException.class)
          .hasMessage(file + " has no entry at 64");

      truncate(0);
      assertThat(entry.isWhole()).isFalse();
    }
  }

  private void truncate(long lengthBytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(lengthBytes);
    }
  }
}
