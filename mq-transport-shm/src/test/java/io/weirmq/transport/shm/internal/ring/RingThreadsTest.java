package io.weirmq.transport.shm.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Both ends of a ring in a thread each: nothing torn, nothing lost, no bell missed. */
class RingThreadsTest {

  private static final int RECORDS = 300_000;

  @Test
  void whatIsWrittenIsReadInOrderAndWhole() throws Exception {
    ByteBuffer memory = RingTest.alignedMemory(4096);
    RingMemory ring = RingMemory.create(memory, 0);
    CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(ring));
    RingReader reader = new RingReader(RingMemory.attach(memory), 0);
    Random random = new Random(5);
    int[] next = {0};

    while (next[0] < RECORDS) {
      int count =
          reader.read(
              (kind, bytes, position, length) -> {
                int number = next[0]++;
                assertThat(length).isEqualTo(8 + random.nextInt(300));
                assertThat(bytes.getInt(position)).isEqualTo(number);
                assertThat(bytes.getInt(position + length - 4)).isEqualTo(~number);
                return true;
              },
              64);
      if (count == 0) {
        Thread.onSpinWait();
      }
    }

    writing.get();
    assertThat(reader.hasRecord()).isFalse();
  }

  private static void write(RingMemory ring) {
    RingWriter writer = new RingWriter(ring, 0);
    Random random = new Random(5);
    try {
      for (int number = 0; number < RECORDS; number++) {
        int length = 8 + random.nextInt(300);
        int position = writer.claim(length);
        while (position == RingWriter.NO_ROOM) {
          Thread.onSpinWait();
          position = writer.claim(length);
        }
        writer.memory().putInt(position, number);
        writer.memory().putInt(position + length - 4, ~number);
        writer.commit(RecordKind.WHOLE);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
