package io.weirmq.transport.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weirmq.transport.netty.LeakGuard;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** NT-03 and NT-04 at their root: where bytes become frames. */
@ExtendWith(LeakGuard.class)
final class FrameAssemblerTest {

  private static final int LIMIT = 10 * 1024 * 1024;

  private final PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
  private final FrameAssembler assembler = new FrameAssembler(allocator, LIMIT);

  /** How bytes come in: read into the assembler's own room, or in a buffer of someone else's. */
  private enum Way {
    ROOM,
    FOREIGN
  }

  @AfterEach
  void givesAllMemoryBack() {
    assembler.release();
    assertThat(allocator.pinnedDirectMemory()).as("direct memory still in use").isZero();
  }

  @Test
  void nt04_yieldsTheSameFramesForEverySplitInTwo() throws Exception {
    List<byte[]> frames = frames(3, 0, 1, 5, 60, 0, 17);
    byte[] stream = stream(frames);
    for (Way way : Way.values()) {
      for (int cut = 0; cut <= stream.length; cut++) {
        List<byte[]> received = new ArrayList<>();
        feed(Arrays.copyOfRange(stream, 0, cut), way, received);
        feed(Arrays.copyOfRange(stream, cut, stream.length), way, received);

        assertSame(received, frames, way + ", cut at " + cut);
        assertThat(assembler.heldBytes()).as("held at rest").isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 63, 64, 65, 511, 512, 513, 4096, 100_000})
  void nt04_yieldsTheSameFramesForPiecesOfASize(int pieceBytes) throws Exception {
    List<byte[]> frames =
        pieceBytes < 63
            ? frames(0, 1, 2, 3, 4, 100, 508, 509, 700, 0)
            : frames(0, 1, 2, 3, 4, 100, 508, 509, 5_000, 0, 20_000, 1, 70_000, 0);
    byte[] stream = stream(frames);
    for (Way way : Way.values()) {
      List<byte[]> received = new ArrayList<>();
      for (int from = 0; from < stream.length; from += pieceBytes) {
        int to = Math.min(stream.length, from + pieceBytes);
        feed(Arrays.copyOfRange(stream, from, to), way, received);
      }
      assertSame(received, frames, way.toString());
    }
  }

  @Test
  void nt04_yieldsFiftyFramesGluedTogether() throws Exception {
    int[] sizes = new int[50];
    Arrays.setAll(sizes, i -> i * 3);
    List<byte[]> frames = frames(sizes);
    for (Way way : Way.values()) {
      List<byte[]> received = new ArrayList<>();
      feed(stream(frames), way, received);
      assertSame(received, frames, way.toString());
    }
  }

  @Test
  void nt04_yieldsTheSameFramesForRandomSplitsWhileOthersAreStillHeld() throws Exception {
    for (long seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      int[] sizes = new int[1 + random.nextInt(30)];
      Arrays.setAll(sizes, i -> random.nextInt(1 << random.nextInt(17)));
      List<byte[]> frames = frames(sizes);
      byte[] stream = stream(frames);
      List<NettyInboundFrame> held = new ArrayList<>();
      int from = 0;
      while (from < stream.length) {
        int count = Math.min(stream.length - from, 1 + random.nextInt(1 << random.nextInt(17)));
        Way way = random.nextBoolean() ? Way.ROOM : Way.FOREIGN;
        put(Arrays.copyOfRange(stream, from, from + count), way, held);
        from += count;
      }

      assertThat(held).as("seed %d", seed).hasSameSizeAs(frames);
      for (int i = 0; i < frames.size(); i++) {
        assertThat(bytesOf(held.get(i).buffer()))
            .as("seed %d, frame %d", seed, i)
            .isEqualTo(frames.get(i));
        held.get(i).release();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, LIMIT + 1, 0x47455420})
  void nt03_refusesALengthThatCannotBeBeforeAnythingIsAllocatedForIt(int length) {
    ByteBuf bytes = allocator.directBuffer(64).writeInt(length).writeZero(30);
    assembler.append(bytes);

    assertThatThrownBy(assembler::next)
        .isInstanceOf(FrameLengthException.class)
        .hasMessageContaining(String.valueOf(length))
        .hasMessageContaining("0.." + LIMIT);
    assertThat(assembler.heldBytes()).isEqualTo(64);
  }

  @Test
  void nt03_namesTheProtocolThatTheBytesLookLike() {
    assertThat(new FrameLengthException(0x47455420, LIMIT)).hasMessageContaining("HTTP");
    assertThat(new FrameLengthException(0x16030100, LIMIT)).hasMessageContaining("TLS");
    assertThat(new FrameLengthException(-1, LIMIT).getMessage()).doesNotContain("looks like");
  }

  @Test
  void nt03_growsWithWhatHasArrivedAndNotWithWhatIsClaimed() throws Exception {
    int claimed = LIMIT;
    List<byte[]> received = new ArrayList<>();
    feed(ByteBuffer.allocate(4).putInt(claimed).array(), Way.ROOM, received);
    int arrived = 0;
    long copied = 0;
    int before = assembler.heldBytes();
    while (arrived < claimed) {
      int count = Math.min(10_000, claimed - arrived);
      feed(new byte[count], Way.ROOM, received);
      arrived += count;
      int held = assembler.heldBytes();
      if (held != before && held != 0) {
        copied += arrived;
        before = held;
      }
      // Pooled sizes are rounded up by a quarter at most.
      assertThat((long) held)
          .as("held after %d bytes", arrived)
          .isLessThanOrEqualTo(Math.max(4_096, 5L * (arrived + 4)));
    }

    assertThat(received).hasSize(1);
    assertThat(received.get(0)).hasSize(claimed);
    // A geometric series: the last move at most, and a third of it before.
    assertThat(copied).as("bytes moved while growing").isLessThan(claimed * 4L / 3);
  }

  @Test
  void readsALargeFrameInOnePieceOnceTheConnectionHasSentOne() throws Exception {
    byte[] large = stream(frames(1_000_000));
    List<byte[]> received = new ArrayList<>();
    feed(large, Way.ROOM, received);

    ByteBuf room = assembler.room();
    room.writeBytes(large, 0, 1_000);
    assembler.append(room);
    assertThat(assembler.next()).isNull();
    room = assembler.room();

    assertThat(room.writableBytes()).as("room for the rest").isEqualTo(large.length - 1_000);
    room.writeBytes(large, 1_000, large.length - 1_000);
    assembler.append(room);
    NettyInboundFrame frame = Objects.requireNonNull(assembler.next());
    frame.release();
    assembler.trim();
  }

  @Test
  void handsFramesOverWithoutACopyWhereTheyLieWholeInTheReadBuffer() throws Exception {
    byte[] stream = stream(frames(100, 200, 300));
    ByteBuf room = assembler.room();
    room.writeBytes(stream);
    assembler.append(room.retain());
    List<NettyInboundFrame> received = new ArrayList<>();
    NettyInboundFrame next;
    while ((next = assembler.next()) != null) {
      received.add(next);
    }

    assertThat(received).hasSize(3);
    room.setByte(4, 111);
    room.setByte(4 + 100 + 4, 112);
    assertThat(received.get(0).buffer().get(0)).as("shared memory").isEqualTo((byte) 111);
    assertThat(received.get(1).buffer().get(0)).as("shared memory").isEqualTo((byte) 112);
    assertThat(received.get(0).buffer().isDirect()).isTrue();
    received.forEach(NettyInboundFrame::release);
    room.release();
    assembler.trim();
  }

  @Test
  void adaptsTheReadSizeToTheTraffic() {
    int initial = assembler.readBytes();
    for (int i = 0; i < 20; i++) {
      assembler.readsEnded(1, true);
    }
    int busy = assembler.readBytes();
    for (int i = 0; i < 40; i++) {
      assembler.readsEnded(100, false);
    }

    assertThat(busy).isEqualTo(128 * 1024).isGreaterThan(initial);
    assertThat(assembler.readBytes()).isEqualTo(512);
  }

  @Test
  void reportsAFrameThatIsReleasedTwice() throws Exception {
    assembler.append(Unpooled.wrappedBuffer(stream(frames(10))));
    NettyInboundFrame frame = Objects.requireNonNull(assembler.next());
    frame.release();

    assertThatThrownBy(frame::release)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("10 bytes");
  }

  private void feed(byte[] bytes, Way way, List<byte[]> received) throws Exception {
    List<NettyInboundFrame> frames = new ArrayList<>();
    put(bytes, way, frames);
    for (NettyInboundFrame frame : frames) {
      received.add(bytesOf(frame.buffer()));
      frame.release();
    }
    assembler.trim();
  }

  private void put(byte[] bytes, Way way, List<NettyInboundFrame> frames) throws Exception {
    if (way == Way.FOREIGN) {
      assembler.append(allocator.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes));
      drain(frames);
      return;
    }
    int from = 0;
    while (from < bytes.length) {
      ByteBuf room = assembler.room();
      int count = Math.min(room.writableBytes(), bytes.length - from);
      assertThat(count).as("room").isPositive();
      room.writeBytes(bytes, from, count);
      assembler.append(room);
      drain(frames);
      from += count;
    }
  }

  private void drain(List<NettyInboundFrame> frames) throws Exception {
    NettyInboundFrame frame;
    while ((frame = assembler.next()) != null) {
      frames.add(frame);
    }
  }

  private static List<byte[]> frames(int... sizes) {
    List<byte[]> frames = new ArrayList<>();
    for (int i = 0; i < sizes.length; i++) {
      byte[] content = new byte[sizes[i]];
      new Random(i).nextBytes(content);
      frames.add(content);
    }
    return frames;
  }

  private static byte[] stream(List<byte[]> frames) {
    ByteBuffer all = ByteBuffer.allocate(frames.stream().mapToInt(frame -> 4 + frame.length).sum());
    frames.forEach(frame -> all.putInt(frame.length).put(frame));
    return all.array();
  }

  private static byte[] bytesOf(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static void assertSame(List<byte[]> received, List<byte[]> expected, String what) {
    assertThat(received).as(what).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      assertThat(received.get(i)).as("%s, frame %d", what, i).isEqualTo(expected.get(i));
    }
  }
}
