package io.weirmq.bench.compare.worker;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a process has counted. Immutable; the histogram is not to be changed.
 *
 * @param sent messages sent, warm-up included; -1 where it doesn't send
 * @param received messages received, warm-up included; -1 where it doesn't receive
 * @param counted messages of the counted time, -1 where it doesn't receive
 * @param seconds counted time
 * @param lost messages that were sent and not received
 * @param outOfOrder messages that came twice or after a later one
 * @param damaged messages of another content than was sent
 * @param latencyNs latencies of the counted time in nanoseconds, or null where they aren't measured
 */
public record Outcome(
    long sent,
    long received,
    long counted,
    double seconds,
    long lost,
    long outOfOrder,
    long damaged,
    @Nullable Histogram latencyNs) {

  /** Latencies above an hour are recorded as an hour. */
  public static final long LATENCY_NS_MAX = 3_600_000_000_000L;

  /** A sender's outcome. */
  public static Outcome ofSender(long sent) {
    return new Outcome(sent, -1, -1, 0, 0, 0, 0, null);
  }

  /** Writes values for {@link Lines}. */
  public Map<String, String> toMap() {
    Map<String, String> values = new HashMap<>();
    values.put("sent", Long.toString(sent));
    values.put("received", Long.toString(received));
    values.put("counted", Long.toString(counted));
    values.put("seconds", Double.toString(seconds));
    values.put("lost", Long.toString(lost));
    values.put("outOfOrder", Long.toString(outOfOrder));
    values.put("damaged", Long.toString(damaged));
    if (latencyNs != null) {
      values.put("latency", encode(latencyNs));
    }
    return values;
  }

  /**
   * Reads what {@link #toMap} has written.
   *
   * @throws IllegalArgumentException where something is missing or malformed
   */
  public static Outcome fromMap(Map<String, String> values) {
    String latency = values.get("latency");
    return new Outcome(
        Long.parseLong(required(values, "sent")),
        Long.parseLong(required(values, "received")),
        Long.parseLong(required(values, "counted")),
        Double.parseDouble(required(values, "seconds")),
        Long.parseLong(required(values, "lost")),
        Long.parseLong(required(values, "outOfOrder")),
        Long.parseLong(required(values, "damaged")),
        latency == null ? null : decode(latency));
  }

  private static String required(Map<String, String> values, String key) {
    String value = values.get(key);
    if (value == null) {
      throw new IllegalArgumentException("result without '" + key + "': " + values.keySet());
    }
    return value;
  }

  /** Writes a histogram in HdrHistogram's compressed form, in Base64. */
  public static String encode(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  /**
   * Reads what {@link #encode} has written.
   *
   * @throws IllegalArgumentException where it is no such histogram
   */
  public static Histogram decode(String base64) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(base64)), 0);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("not a compressed histogram: " + e.getMessage(), e);
    }
  }
}
