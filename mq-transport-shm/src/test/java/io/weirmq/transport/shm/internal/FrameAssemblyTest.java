package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weirmq.transport.shm.internal.ring.RecordKind;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames in pieces, and what memory they take. */
final class FrameAssemblyTest {

  private static final int PIECE_BYTES = 128 * 1024;

  private static final int FRAME_BYTES = 4 * 1024 * 1024;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final byte[] content = new byte[FRAME_BYTES];
  private final ByteBuffer piece =
      ByteBuffer.allocateDirect(PIECE_BYTES).order(ByteOrder.nativeOrder());

  private static long allocatedBytes() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** Sends all of the content, or its first piece. */
  private @Nullable ShmInboundFrame assemble(FrameAssembly assembly, boolean onlyFirst)
      throws Exception {
    piece.clear().putInt(FRAME_BYTES).put(content, 0, PIECE_BYTES - 4);
    ShmInboundFrame frame = assembly.add(RecordKind.FIRST, piece, 0, PIECE_BYTES);
    int sent = PIECE_BYTES - 4;
    while (!onlyFirst && frame == null) {
      int length = Math.min(PIECE_BYTES, FRAME_BYTES - sent);
      piece.clear().put(content, sent, length);
      sent += length;
      int kind = sent == FRAME_BYTES ? RecordKind.LAST : RecordKind.MIDDLE;
      frame = assembly.add(kind, piece, 0, length);
    }
    return frame;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLengthThatIsMerelyClaimedTakesMemoryOnTheConnectingSideOnly(boolean isOfServer)
      throws Exception {
    assemble(new FrameAssembly(new FrameMemory(null, true), FRAME_BYTES, isOfServer), true);
    FrameAssembly assembly =
        new FrameAssembly(new FrameMemory(null, true), FRAME_BYTES, isOfServer);
    long before = allocatedBytes();

    assemble(assembly, true);

    long taken = allocatedBytes() - before;
    if (isOfServer) {
      assertThat(taken).isLessThan(300_000);
    } else {
      assertThat(taken).isBetween((long) FRAME_BYTES, FRAME_BYTES + 100_000L);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFrameArrivesWholeAndTakesItsRoomOnceOnTheConnectingSide(boolean isOfServer)
      throws Exception {
    new Random(9).nextBytes(content);
    FrameAssembly assembly =
        new FrameAssembly(new FrameMemory(null, true), FRAME_BYTES, isOfServer);
    assemble(assembly, false);
    long before = allocatedBytes();

    ShmInboundFrame frame = assemble(assembly, false);

    long taken = allocatedBytes() - before;
    // By doubling: 256 and 512 KiB, 1, 2 and 4 MiB.
    assertThat(taken)
        .isLessThan(isOfServer ? 8_126_464L + 100_000 : FRAME_BYTES + 100_000L)
        .isGreaterThanOrEqualTo(isOfServer ? 8_126_464L : FRAME_BYTES);
    if (frame == null) {
      throw new AssertionError("no frame");
    }
    byte[] received = new byte[FRAME_BYTES];
    frame.buffer().get(received);
    assertThat(received).isEqualTo(content);
  }
}
