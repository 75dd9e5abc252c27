package io.weirmq.protocol.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.ProtocolReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes of which nobody knows where they are from, into the decoder of each message at each
 * version: nothing but {@link ProtocolException} comes out, and what is allocated stays in
 * proportion to the bytes that are there.
 */
class HostileBytesTest {

  private static final long SEED = 4711;

  /** An element of an array takes a few bytes of the wire and some tens of the heap. */
  private static final int HEAP_BYTES_PER_WIRE_BYTE = 64;

  /** An exception with its stack, and the message itself. */
  private static final int HEAP_BYTES_FIXED = 64 * 1024;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  static List<OracleMessage> messages() {
    return OracleMessage.all();
  }

  @ParameterizedTest
  @MethodSource("messages")
  void refusesEachMessageThatIsCutShort(OracleMessage message) {
    for (short version : message.versions()) {
      byte[] whole = random(message, version, SEED + version);
      int step = Math.max(1, whole.length / 60);
      for (int length = 0; length < whole.length; length += step) {
        byte[] cut = Arrays.copyOf(whole, length);
        if (!isRefused(message, version, cut)) {
          fail("%s v%d cut to %d of %d bytes is read", message, version, length, whole.length);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void survivesDamagedMessages(OracleMessage message) {
    byte[] nasty = {0, 1, 0x7F, (byte) 0x80, (byte) 0xFF};
    for (short version : message.versions()) {
      Random random = new Random(SEED + version);
      for (int round = 0; round < 60; round++) {
        byte[] bytes = random(message, version, SEED + round % 15);
        int damage = 1 + random.nextInt(6);
        for (int i = 0; i < damage && bytes.length > 0; i++) {
          bytes[random.nextInt(bytes.length)] = nasty[random.nextInt(nasty.length)];
        }
        decodeWithinBounds(message, version, bytes, "seed " + SEED + ", round " + round);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void survivesNoise(OracleMessage message) {
    for (short version : message.versions()) {
      Random random = new Random(SEED + version);
      for (int round = 0; round < 30; round++) {
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        decodeWithinBounds(message, version, bytes, "seed " + SEED + ", round " + round);
      }
    }
  }

  /** Many small elements are the most heap that a given number of bytes can ask for. */
  @ParameterizedTest
  @MethodSource("messages")
  void survivesLongRunsOfSmallValues(OracleMessage message) {
    int length = 32 * 1024;
    for (short version : message.versions()) {
      for (int value : new int[] {0, 1, 2, 3, 0x20, 0x7F, 0x80, 0xFF}) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        decodeWithinBounds(message, version, bytes, "all bytes " + value);
      }
      Random random = new Random(SEED + version);
      for (int round = 0; round < 4; round++) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
          bytes[i] = (byte) random.nextInt(round + 2);
        }
        decodeWithinBounds(message, version, bytes, "seed " + SEED + ", small round " + round);
      }
    }
  }

  /** A count that claims all that an int can say, at each place where a count may stand. */
  @ParameterizedTest
  @MethodSource("messages")
  void neverAllocatesByAClaimedCount(OracleMessage message) {
    byte[][] claims = {
      {0x7F, -1, -1, -1},
      {-1, -1, -1, -1, 0x07},
      {-1, -1, -1, -1, 0x0F},
      {0x05, 0, 0, 0},
      {-128, -128, -128, -128, 0x01}
    };
    for (short version : message.versions()) {
      byte[] whole = random(message, version, SEED + version);
      for (byte[] claim : claims) {
        int step = Math.max(1, whole.length / 40);
        for (int at = 0; at + claim.length <= whole.length; at += step) {
          byte[] bytes = whole.clone();
          System.arraycopy(claim, 0, bytes, at, claim.length);
          decodeWithinBounds(message, version, bytes, "claim at " + at);
        }
      }
    }
  }

  private static byte[] random(OracleMessage message, short version, long seed) {
    return new RandomWire(seed).next(message.schema(version)).array();
  }

  private static void decodeWithinBounds(
      OracleMessage message, short version, byte[] bytes, String what) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    isRefused(message, version, bytes);
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    if (allocated > HEAP_BYTES_FIXED + (long) HEAP_BYTES_PER_WIRE_BYTE * bytes.length) {
      fail(
          "%d heap bytes for %d bytes of %s v%d, %s",
          allocated, bytes.length, message, version, what);
    }
  }

  private static boolean isRefused(OracleMessage message, short version, byte[] bytes) {
    try {
      message.decode(new ProtocolReader(ByteBuffer.wrap(bytes)), version);
      return false;
    } catch (ProtocolException expected) {
      assertThat(expected.getMessage()).contains(message.name());
      return true;
    }
  }
}
