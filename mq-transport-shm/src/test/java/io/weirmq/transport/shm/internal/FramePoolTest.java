package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FramePoolTest {

  private final FramePool pool = new FramePool();

  private FramePool.Piece take(int length) {
    FramePool.@Nullable Piece piece = pool.take(length);
    assertThat(piece).as("piece of %d bytes", length).isNotNull();
    if (piece == null) {
      throw new AssertionError();
    }
    return piece;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 8192",
    "8192, 8192",
    "8193, 32768",
    "32769, 131072",
    "131072, 131072",
    "131073, 524288",
    "524289, 2097152",
    "2097152, 2097152"
  })
  void givesTheSmallestPieceThatIsLargeEnough(int length, int expectedBytes) {
    assertThat(take(length).memory().capacity()).isEqualTo(expectedBytes);
  }

  @Test
  void hasNothingForFramesAboveTheLargestPiece() {
    assertThat(pool.take(FramePool.PIECE_BYTES_MAX + 1)).isNull();
    assertThat(pool.take(Integer.MAX_VALUE)).isNull();
  }

  @Test
  void theLastPieceThatCameBackGoesOutFirst() {
    FramePool.Piece first = take(100_000);
    FramePool.Piece second = take(100_000);
    first.giveBack();
    second.giveBack();

    assertThat(take(100_000)).isSameAs(second);
    assertThat(take(100_000)).isSameAs(first);
  }

  @ParameterizedTest
  @CsvSource({"8192, 512", "32768, 128", "131072, 32", "524288, 8", "2097152, 2"})
  void hasFourMebibytesOfEachSizeAndNoMore(int length, int expectedCount) {
    List<FramePool.Piece> taken = new ArrayList<>();
    for (int i = 0; i < expectedCount; i++) {
      taken.add(take(length));
    }
    assertThat(pool.take(length)).isNull();

    taken.get(0).giveBack();

    assertThat(take(length)).isSameAs(taken.get(0));
    assertThat(pool.take(length)).isNull();
  }

  @Test
  void hasNothingAndMakesNothingMoreWhereThereIsNoDirectMemory() {
    List<Integer> asked = new ArrayList<>();
    FramePool scarce =
        new FramePool(
            bytes -> {
              asked.add(bytes);
              if (asked.size() == 2) {
                throw new OutOfMemoryError("no direct memory on purpose");
              }
              return ByteBuffer.allocate(bytes);
            });
    FramePool.Piece made = scarce.take(8192);

    assertThat(scarce.take(8192)).isNull();
    assertThat(scarce.take(8192)).isNull();
    assertThat(asked).as("tried once, not again").containsExactly(8192, 8192);

    if (made == null) {
      throw new AssertionError("no piece");
    }
    made.giveBack();
    assertThat(scarce.take(8192)).as("what was made is still used").isSameAs(made);
  }

  @Test
  void takesPiecesBackFromOtherThreads() throws InterruptedException {
    FramePool.Piece piece = take(2 * 1024 * 1024);
    Thread other = new Thread(piece::giveBack);
    other.start();
    other.join();

    assertThat(take(2 * 1024 * 1024)).isSameAs(piece);
  }
}
