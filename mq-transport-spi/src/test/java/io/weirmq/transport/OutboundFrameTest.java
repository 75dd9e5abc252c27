package io.weirmq.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OutboundFrameTest {

  @TempDir Path folder;

  @Test
  void addsUpLengthAndCost() throws Exception {
    try (FileChannel channel = FileChannel.open(Files.createFile(folder.resolve("f")))) {
      OutboundFrame frame =
          new OutboundFrame(
              List.of(
                  new OutboundPart.Bytes(ByteBuffer.allocate(100).position(40)),
                  new FileSlice(channel, 0, 1_000, () -> {}),
                  new FileSlice(channel, 7, 5_000_000_000L, () -> {})),
              () -> {});

      assertThat(frame.lengthBytes()).isEqualTo(60 + 1_000 + 5_000_000_000L);
      assertThat(frame.pendingCostBytes()).isEqualTo(64 + 60 + 1_000 + 65_536);
      assertThat(OutboundFrame.of(ByteBuffer.allocate(0)).pendingCostBytes()).isEqualTo(64);
    }
  }

  @Test
  void releasesSlicesFirstAndAllOfThemAlsoWhereOneFails() throws Exception {
    List<String> released = new ArrayList<>();
    try (FileChannel channel = FileChannel.open(Files.createFile(folder.resolve("f")))) {
      OutboundFrame frame =
          new OutboundFrame(
              List.of(
                  new FileSlice(channel, 0, 1, () -> released.add("one")),
                  new FileSlice(
                      channel,
                      0,
                      1,
                      () -> {
                        throw new IllegalStateException("on purpose");
                      }),
                  new FileSlice(channel, 0, 1, () -> released.add("three"))),
              () -> released.add("frame"));

      assertThatThrownBy(frame::release).hasMessage("on purpose");
      assertThat(released).containsExactly("one", "three", "frame");
    }
  }

  @Test
  void refusesRangesThatCannotBe() throws Exception {
    try (FileChannel channel = FileChannel.open(Files.createFile(folder.resolve("f")))) {
      assertThatThrownBy(() -> new FileSlice(channel, -1, 1, () -> {}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("-1");
      assertThatThrownBy(() -> new FileSlice(channel, 0, -2, () -> {}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("-2");
    }
  }
}
