package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.shm.internal.ring.RecordKind;
import io.weirmq.transport.shm.internal.ring.RingMemory;
import io.weirmq.transport.shm.internal.ring.RingReader;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A peer that changes a record while it is read, at moments of the test's choice: whatever it
 * writes, a record has the one length that was checked, and a frame the bytes of one copy.
 */
final class ChangingFrameTest {

  private static final int CAPACITY = 64 * 1024;

  private final ByteBuffer memory =
      ByteBuffer.allocateDirect(RingMemory.HEADER_BYTES + CAPACITY).order(ByteOrder.nativeOrder());
  private final RingWriter writer;
  private final RingReader reader;
  private final FrameMemory frames = new FrameMemory(new FramePool(), true);

  ChangingFrameTest() throws IOException {
    writer = new RingWriter(RingMemory.create(memory, 0), 0);
    reader = new RingReader(RingMemory.attach(memory), 0);
  }

  private void write(int kind, byte[] payload) throws IOException {
    writer.memory().put(writer.claim(payload.length), payload);
    writer.commit(kind);
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] bytesOf(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return bytes;
  }

  /**
   * All that the peer can reach of a record: the word with its length and kind, and the payload.
   */
  private void change(int position, int word, int value, int length) {
    memory.putInt(position - 8, word);
    memory.put(position, filled(length, value));
  }

  @Test
  void aRecordKeepsTheLengthThatWasCheckedWhateverItsWordBecomes() throws IOException {
    int[] words = {
      0, -1, 8_000 << 3 | RecordKind.WHOLE, RecordKind.END, (CAPACITY - 8) << 3 | 6, 1 << 3 | 1
    };
    for (int i = 0; i < words.length; i++) {
      write(RecordKind.WHOLE, filled(100, 1));
    }
    write(RecordKind.WHOLE, filled(3, 9));
    List<Integer> lengths = new ArrayList<>();
    List<byte[]> contents = new ArrayList<>();

    reader.read(
        (kind, ring, position, length) -> {
          if (lengths.size() < words.length) {
            change(position, words[lengths.size()], 2, length); // before the copy
          }
          ShmInboundFrame frame = frames.copy(ring, position, length);
          if (lengths.size() < words.length) {
            change(position, words[lengths.size()], 3, length); // after it
          }
          lengths.add(length);
          contents.add(bytesOf(frame.buffer()));
          return true;
        },
        100);

    assertThat(lengths).containsExactly(100, 100, 100, 100, 100, 100, 3);
    for (byte[] content : contents.subList(0, words.length)) {
      assertThat(content).as("what was there at the copy").isEqualTo(filled(100, 2));
    }
    assertThat(contents.get(words.length)).as("the next record").isEqualTo(filled(3, 9));
  }

  @Test
  void aFrameThatIsLentLiesOutsideOfTheRing() throws IOException {
    write(RecordKind.WHOLE, filled(100, 1));

    reader.read(
        (kind, ring, position, length) -> {
          ByteBuffer lent = frames.lend(ring, position, length);
          change(position, 0, 4, length);
          assertThat(bytesOf(lent)).isEqualTo(filled(100, 1));
          return true;
        },
        1);

    assertThat(reader.position()).as("the word was not read again").isEqualTo(112);
  }

  @Test
  void theLengthOfAFrameInPiecesIsReadOnce() throws Exception {
    FrameAssembly assembly = new FrameAssembly(frames, 1_000, true);
    byte[] first = ByteBuffer.allocate(14).order(ByteOrder.nativeOrder()).putInt(30).array();
    write(RecordKind.FIRST, first);
    write(RecordKind.LAST, filled(20, 5));
    List<ShmInboundFrame> made = new ArrayList<>();

    reader.read(
        (kind, ring, position, length) -> {
          @Nullable ShmInboundFrame frame = assembly.add(kind, ring, position, length);
          if (kind == RecordKind.FIRST) {
            // Both lengths become others, once the frame has begun.
            memory.putInt(position, 1_000_000);
            change(position + 8, 0, 6, 6);
          }
          if (frame != null) {
            change(position, -1, 7, length);
            made.add(frame);
          }
          return true;
        },
        10);

    assertThat(made).hasSize(1);
    byte[] expected = new byte[30];
    Arrays.fill(expected, 10, 30, (byte) 5);
    assertThat(bytesOf(made.get(0).buffer())).isEqualTo(expected);
  }
}
