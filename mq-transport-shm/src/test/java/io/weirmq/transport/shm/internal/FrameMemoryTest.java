package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FrameMemoryTest {

  private final FrameMemory memory = new FrameMemory(new FramePool(), true);

  private ShmInboundFrame copy(byte[] content) {
    ByteBuffer shared = ByteBuffer.allocateDirect(content.length + 16);
    shared.put(16, content);
    return memory.copy(shared, 16, content.length);
  }

  private static byte[] bytesOf(ShmInboundFrame frame) {
    byte[] bytes = new byte[frame.buffer().remaining()];
    frame.buffer().get(0, bytes);
    return bytes;
  }

  @Test
  void heldFramesKeepTheirBytesWhateverComesAfterThem() {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      List<ShmInboundFrame> held = new ArrayList<>();
      List<byte[]> expected = new ArrayList<>();
      for (int i = 0; i < 2_000; i++) {
        byte[] content = new byte[random.nextInt(random.nextBoolean() ? 100 : 60_000)];
        random.nextBytes(content);
        held.add(copy(content));
        expected.add(content);
        while (held.size() > 50 || (!held.isEmpty() && random.nextInt(3) == 0)) {
          int which = random.nextInt(held.size());
          assertThat(bytesOf(held.get(which))).as("seed %d", seed).isEqualTo(expected.get(which));
          held.remove(which).release();
          expected.remove(which);
        }
      }
    }
  }

  @Test
  void usesTheSameBytesAgainWhereFramesAreReleasedAtOnce() {
    ShmInboundFrame first = copy(new byte[] {1, 2, 3});
    first.release();

    ShmInboundFrame second = copy(new byte[] {4, 5, 6});

    assertThat(second.buffer().array()).isSameAs(first.buffer().array());
    assertThat(second.buffer().arrayOffset()).isEqualTo(first.buffer().arrayOffset());
    second.release();
  }

  @Test
  void aHolderSeesAndWritesItsOwnBytesOnly() {
    ShmInboundFrame first = copy(new byte[] {1, 2, 3});
    ShmInboundFrame second = copy(new byte[] {4, 5, 6});

    assertThat(first.buffer().capacity()).isEqualTo(3);
    first.buffer().put(0, new byte[] {9, 9, 9});

    assertThat(bytesOf(second)).containsExactly(4, 5, 6);
    first.release();
    second.release();
  }

  @Test
  void givesBackWhatItTookWhereACopyFails() {
    ByteBuffer tooShort = ByteBuffer.allocateDirect(100);
    ShmInboundFrame before = copy(new byte[100_000]);
    ByteBuffer expected = before.buffer();
    before.release();

    assertThatThrownBy(() -> memory.copy(tooShort, 16, 100_000))
        .isInstanceOf(IndexOutOfBoundsException.class);

    ShmInboundFrame after = copy(filled(100_000, 7));
    assertThat(expected.get(99_999)).as("the same piece is used again").isEqualTo((byte) 7);
    after.release();
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @Test
  void largeFramesUseTheSameBytesAgainOnceTheyAreReleased() {
    byte[] content = new byte[100_000];
    ShmInboundFrame first = copy(content);
    ShmInboundFrame second = copy(content);
    ByteBuffer memory = first.buffer();
    first.release();

    ShmInboundFrame third = copy(content);
    third.buffer().put(99_999, (byte) 7);

    assertThat(memory.get(99_999)).isEqualTo((byte) 7);
    assertThat(second.buffer().get(99_999)).isZero();
    assertThat(third.buffer().isDirect()).isTrue();
    second.release();
    third.release();
  }

  @Test
  void detachingALargeFrameLeavesItsBytesToTheCallerWhateverComesAfterIt() {
    byte[] content = new byte[100_000];
    new Random(1).nextBytes(content);
    ByteBuffer kept = copy(content).detach();

    copy(new byte[100_000]).release();

    assertThat(kept.hasArray()).isTrue();
    byte[] bytes = new byte[kept.remaining()];
    kept.get(bytes);
    assertThat(bytes).isEqualTo(content);
  }

  @Test
  void withoutAPoolALargeFrameHasAnArrayThatIsDetachedWithoutACopy() {
    ByteBuffer shared = ByteBuffer.allocateDirect(100_000);
    ShmInboundFrame frame = new FrameMemory(null, true).copy(shared, 0, 100_000);

    ByteBuffer kept = frame.detach();

    assertThat(kept).isSameAs(frame.buffer());
    assertThat(kept.arrayOffset()).isZero();
    assertThat(kept.array()).hasSize(100_000);
  }

  @Test
  void reportsASecondRelease() {
    ShmInboundFrame small = copy(new byte[10]);
    ShmInboundFrame large = copy(new byte[FrameMemory.SHARED_BYTES_MAX + 1]);
    small.release();
    large.release();

    assertThatThrownBy(small::release)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("inbound frame of 10 bytes released twice");
    assertThatThrownBy(large::release)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("inbound frame of 4097 bytes released twice");
  }
}
