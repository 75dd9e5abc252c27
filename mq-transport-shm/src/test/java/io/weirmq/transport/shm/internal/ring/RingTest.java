package io.weirmq.transport.shm.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both ends of a ring, in one thread. */
class RingTest {

  private static final int CAPACITY = 4096;

  /** A ring with both ends and a memory of what was sent. */
  private static final class Both {
    final ByteBuffer memory;
    final RingWriter writer;
    final RingReader reader;
    final List<byte[]> read = new ArrayList<>();

    Both(int capacity, long start) throws IOException {
      memory = alignedMemory(capacity);
      writer = new RingWriter(RingMemory.create(memory, start), start);
      reader = new RingReader(RingMemory.attach(memory), start);
    }

    boolean write(byte[] payload) throws IOException {
      int position = writer.claim(payload.length);
      if (position == RingWriter.NO_ROOM) {
        return false;
      }
      writer.memory().put(position, payload);
      writer.commit(RecordKind.WHOLE);
      return true;
    }

    int readAll() throws IOException {
      return reader.read(
          (kind, bytes, position, length) -> {
            byte[] copy = new byte[length];
            bytes.get(position, copy);
            read.add(copy);
            return true;
          },
          Integer.MAX_VALUE);
    }
  }

  static ByteBuffer alignedMemory(int capacity) {
    return ByteBuffer.allocateDirect(RingMemory.HEADER_BYTES + capacity + 8)
        .alignedSlice(8)
        .slice(0, RingMemory.HEADER_BYTES + capacity);
  }

  private static byte[] payload(int length, int seed) {
    byte[] payload = new byte[length];
    new Random(seed).nextBytes(payload);
    return payload;
  }

  @Test
  void anEmptyRingHasNothing() throws IOException {
    Both ring = new Both(CAPACITY, 0);

    assertThat(ring.reader.hasRecord()).isFalse();
    assertThat(ring.readAll()).isZero();
  }

  @Test
  void theLayoutIsTheDocumentedOne() throws IOException {
    Both ring = new Both(CAPACITY, 0);
    ring.write(new byte[] {1, 2, 3});

    ByteBuffer memory = ring.memory.duplicate().order(java.nio.ByteOrder.nativeOrder());
    assertThat(memory.getInt(512)).isEqualTo(3 << 3 | RecordKind.WHOLE);
    assertThat(memory.get(520)).isEqualTo((byte) 1);
    assertThat(memory.getInt(528)).isZero();
    assertThat(memory.getLong(128)).isZero();

    ring.readAll();

    assertThat(memory.getLong(128)).isEqualTo(16);
  }

  /** SM-08: for each state of the border, each size. */
  @ParameterizedTest
  @ValueSource(longs = {0, (1L << 31) - 2048, (1L << 32) - 2048, Long.MAX_VALUE / 2 & ~7L})
  void sm08_sm09_everySizeArrivesAtEveryBorder(long start) throws IOException {
    int payloadMax = new Both(CAPACITY, start).writer.payloadMax();
    for (int offset = 0; offset < CAPACITY; offset += 8) {
      Both ring = new Both(CAPACITY, start);
      advance(ring, offset);
      ring.read.clear();
      for (int size = 0; size <= payloadMax; size += size < 40 || size > payloadMax - 40 ? 1 : 61) {
        byte[] sent = payload(size, size);
        assertThat(ring.write(sent)).as("offset %d, size %d", offset, size).isTrue();
        assertThat(ring.readAll()).as("offset %d, size %d", offset, size).isEqualTo(1);
        assertThat(ring.read.get(0)).isEqualTo(sent);
        ring.read.clear();
      }
    }
  }

  private static void advance(Both ring, int bytes) throws IOException {
    int left = bytes;
    while (left > 0) {
      int step = Math.min(left, 128);
      ring.write(new byte[step - 8]);
      ring.readAll();
      left -= step;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aRandomRunEqualsAQueue(long seed) throws IOException {
    Random random = new Random(seed);
    Both ring = new Both(1 << (10 + random.nextInt(4)), 8L * random.nextInt(1 << 20));
    Deque<byte[]> model = new ArrayDeque<>();
    for (int step = 0; step < 20_000; step++) {
      if (random.nextBoolean()) {
        byte[] sent = payload(random.nextInt(ring.writer.payloadMax() + 1), step);
        if (ring.write(sent)) {
          model.add(sent);
        } else {
          assertThat(model).as("seed %d: full, though nothing is in it", seed).isNotEmpty();
        }
      } else {
        ring.readAll();
        for (byte[] received : ring.read) {
          assertThat(received).as("seed %d step %d", seed, step).isEqualTo(model.poll());
        }
        ring.read.clear();
        assertThat(model).as("seed %d step %d", seed, step).isEmpty();
      }
    }
  }

  @Test
  void aFullRingTakesNothingUntilSomethingWasRead() throws IOException {
    Both ring = new Both(1024, 0);
    int written = 0;
    while (ring.write(payload(100, written))) {
      written++;
    }

    // 112 bytes each, and 8 stay free for the next word: 9 * 112 + 8 is below 1,024.
    assertThat(written).isEqualTo(9);
    assertThat(ring.writer.waitForRoom(100)).isTrue();
    ring.reader.read((kind, memory, position, length) -> false, 10);
    assertThat(ring.reader.takeWriterWaits()).isTrue();
    assertThat(ring.reader.takeWriterWaits()).isFalse();
    assertThat(ring.writer.hasRoomFor(104)).isFalse();
    ring.readAll();
    assertThat(ring.write(payload(100, 9))).isTrue();
  }

  @Test
  void aClaimThatIsNotCommittedIsNeverSeen() throws IOException {
    Both ring = new Both(CAPACITY, 0);
    int position = ring.writer.claim(64);
    ring.writer.memory().put(position, payload(64, 1));

    assertThat(ring.reader.hasRecord()).isFalse();
    ring.write(new byte[] {7});
    ring.readAll();

    assertThat(ring.read).hasSize(1);
    assertThat(ring.read.get(0)).containsExactly(7);
  }

  @Test
  void whatIsHeldIsSeenTogetherOnceItIsPublished() throws IOException {
    Both ring = new Both(1024, 1024 - 200); // the second record is behind padding
    for (int i = 1; i <= 3; i++) {
      ring.writer.memory().put(ring.writer.claim(100), payload(100, i));
      ring.writer.hold(RecordKind.WHOLE);
    }

    // 112 bytes each, and 88 of padding.
    assertThat(ring.writer.heldBytes()).isEqualTo(3 * 112 + 88);
    assertThat(ring.reader.hasRecord()).isFalse();
    assertThat(ring.readAll()).isZero();
    ring.writer.publish();
    assertThat(ring.writer.heldBytes()).isZero();
    ring.writer.publish(); // once more does nothing
    assertThat(ring.readAll()).isEqualTo(3);
    for (int i = 1; i <= 3; i++) {
      assertThat(ring.read.get(i - 1)).isEqualTo(payload(100, i));
    }
  }

  @Test
  void aHeldBatchThatFillsTheRingIsReadWhole() throws IOException {
    for (int offset = 0; offset < 1024; offset += 8) {
      Both ring = new Both(1024, 0);
      advance(ring, offset);
      ring.read.clear();
      int held = 0;
      int position;
      while ((position = ring.writer.claim(40)) != RingWriter.NO_ROOM) {
        ring.writer.memory().put(position, payload(40, held));
        ring.writer.hold(RecordKind.WHOLE);
        held++;
      }
      assertThat(ring.readAll()).as("offset %d", offset).isZero();
      ring.writer.publish();
      assertThat(ring.readAll()).as("offset %d", offset).isEqualTo(held);
      for (int i = 0; i < held; i++) {
        assertThat(ring.read.get(i))
            .as("offset %d, record %d", offset, i)
            .isEqualTo(payload(40, i));
      }
    }
  }

  /** A look for a writer that waits may be left out, but not until all it waits for was read. */
  @Test
  void aWriterThatWaitsIsFoundBeforeTheRingIsEmpty() throws IOException {
    for (int offset = 0; offset < 1024; offset += 8) {
      Both ring = new Both(1024, 0);
      advance(ring, offset);
      ring.reader.takeWriterWaits();
      while (ring.write(payload(1, 1))) {
        // fill it
      }
      assertThat(ring.writer.waitForRoom(ring.writer.payloadMax()))
          .as("offset %d", offset)
          .isTrue();
      boolean found = false;
      while (ring.reader.read((kind, memory, position, length) -> false, 1) > 0) {
        found |= ring.reader.takeWriterWaits();
      }
      assertThat(found).as("offset %d", offset).isTrue();
    }
  }

  @Test
  void aReaderThatSleepsIsRungForOnce() throws IOException {
    Both ring = new Both(CAPACITY, 0);

    assertThat(ring.writer.takeReaderSleeps()).isFalse();
    assertThat(ring.reader.sleep()).isTrue();
    ring.write(new byte[1]);
    assertThat(ring.writer.takeReaderSleeps()).isTrue();
    assertThat(ring.writer.takeReaderSleeps()).isFalse();
    assertThat(ring.reader.sleep()).as("there is a record").isFalse();
  }

  @Test
  void whatIsTooLargeIsRefused() throws IOException {
    Both ring = new Both(CAPACITY, 0);

    assertThatThrownBy(() -> ring.writer.claim(ring.writer.payloadMax() + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a record of 1009 bytes; expected 0 to 1008");
    assertThat(ring.write(new byte[ring.writer.payloadMax()])).isTrue();
  }

  @Test
  void memoryOfAnotherKindIsRefused() {
    assertThatThrownBy(() -> RingMemory.attach(alignedMemory(CAPACITY)))
        .isInstanceOf(RingViolationException.class)
        .hasMessageContaining("begins with 0000000000000000");
    assertThatThrownBy(() -> RingMemory.create(alignedMemory(3000), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3000 bytes");
  }

  @ParameterizedTest
  @ValueSource(longs = {-8, 8, 4, 1L << 40, Long.MIN_VALUE, Long.MAX_VALUE})
  void aReadPositionThatCannotBeEndsTheWriter(long lie) throws IOException {
    Both ring = new Both(1024, 0);
    while (ring.write(new byte[100])) {
      // fill it, so that the writer has to look
    }
    ring.memory.order(java.nio.ByteOrder.nativeOrder()).putLong(128, lie == 8 ? 1 << 20 : lie);

    assertThatThrownBy(() -> ring.writer.claim(100))
        .isInstanceOf(RingViolationException.class)
        .hasMessageContaining("expected 0 to 1008");
  }

  /** As where a fault of memory is reported in the middle of a handler. */
  @Test
  void aRecordWhoseHandlerWasInterruptedIsNotHandedOverAgain() throws IOException {
    Both ring = new Both(CAPACITY, 0);
    ring.write(new byte[10]);
    assertThatThrownBy(
            () ->
                ring.reader.read(
                    (kind, memory, position, length) -> {
                      throw new InternalError("memory fails on purpose");
                    },
                    1))
        .isInstanceOf(InternalError.class);

    assertThatThrownBy(ring::readAll)
        .isInstanceOf(IOException.class)
        .hasMessage("reading failed within a record at position 0; it may have been taken or not");
    assertThat(ring.read).isEmpty();
  }

  private static int padding(int length) {
    return length << RecordKind.BITS | RecordKind.PADDING;
  }

  /** Padding over the whole ring would lead back to itself, and the reader round for ever. */
  @Test
  @Timeout(60)
  void paddingOverTheWholeRingIsAViolation() throws IOException {
    Both ring = new Both(CAPACITY, 0);
    ring.memory.order(java.nio.ByteOrder.nativeOrder()).putInt(512, padding(CAPACITY - 8));

    assertThatThrownBy(ring::readAll)
        .isInstanceOf(RingViolationException.class)
        .hasMessage(
            "padding of 4088 bytes at index 0; expected all of the 4088 that are left, where these are less than 1008");
    assertThat(ring.reader.position()).isZero();
  }

  /** The largest record of this ring has 1,008 bytes and takes 1,016. */
  @Test
  void paddingIsRightOnlyWhereTheLargestRecordHasNoRoom() throws IOException {
    Both largest = new Both(CAPACITY, 0);
    advance(largest, CAPACITY - 1008);
    ByteBuffer memory = largest.memory.order(java.nio.ByteOrder.nativeOrder());
    memory.putInt(512 + 3088, padding(1000)).putInt(512, 0);
    assertThat(largest.readAll()).isZero();
    assertThat(largest.reader.position()).isEqualTo(CAPACITY);

    Both tooLarge = new Both(CAPACITY, 0);
    advance(tooLarge, CAPACITY - 1016);
    tooLarge.memory.order(java.nio.ByteOrder.nativeOrder()).putInt(512 + 3080, padding(1008));
    assertThatThrownBy(tooLarge::readAll).isInstanceOf(RingViolationException.class);
  }

  /** A peer that writes again what was just read, as fast as it is read. */
  @Test
  @Timeout(60)
  void aReadEndsAfterOneRoundWhateverThePeerWritesMeanwhile() throws IOException {
    Both ring = new Both(1024, 0);
    ByteBuffer memory = ring.memory.order(java.nio.ByteOrder.nativeOrder());
    for (int position = 512; position < 512 + 1024; position += 8) {
      memory.putInt(position, RecordKind.WHOLE); // a frame without bytes takes 8, and stays there
    }

    assertThat(ring.readAll()).isEqualTo(1024 / 8);
    assertThat(ring.readAll()).isEqualTo(1024 / 8);
  }

  /**
   * The peer writes random bytes everywhere: each read ends in records in bounds, or a violation.
   */
  @Test
  void randomBytesNeverLeadOutOfTheRing() throws IOException {
    for (int seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      Both ring = new Both(1024, 0);
      for (int i = random.nextInt(8); i > 0; i--) {
        ring.write(payload(random.nextInt(100), i));
      }
      byte[] noise = new byte[1 + random.nextInt(64)];
      random.nextBytes(noise);
      if (random.nextBoolean()) {
        Arrays.fill(noise, (byte) random.nextInt(4));
      }
      ring.memory.put(random.nextInt(512 + 1024 - noise.length), noise);
      try {
        ring.reader.read(
            (kind, memory, position, length) -> {
              assertThat(position).isBetween(520, 512 + 1024);
              assertThat(position + length).isBetween(520, 512 + 1024);
              return true;
            },
            1_000);
        ring.writer.claim(random.nextInt(200));
      } catch (RingViolationException e) {
        assertThat(e).hasMessageContaining("expected");
      }
    }
  }
}
