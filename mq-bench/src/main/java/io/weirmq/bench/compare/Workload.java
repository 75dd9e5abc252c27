package io.weirmq.bench.compare;

import java.util.Map;

/**
 * What the processes of a turn do. Immutable.
 *
 * @param kind what is measured
 * @param messageBytes size of a message in bytes, {@value #MESSAGE_BYTES_MIN} at least
 * @param ratePerSecond messages per second of an open loop; 0 where the next one follows at once
 * @param pacing how the sender waits between two messages
 * @param warmupMs time at the beginning that doesn't count
 * @param measuredMs time that counts
 */
public record Workload(
    MeasureKind kind,
    int messageBytes,
    long ratePerSecond,
    Pacing pacing,
    long warmupMs,
    long measuredMs) {

  /** Sequence number, time, phase and check need so many bytes. */
  public static final int MESSAGE_BYTES_MIN = 24;

  public Workload {
    if (messageBytes < MESSAGE_BYTES_MIN
        || ratePerSecond < 0
        || warmupMs < 0
        || measuredMs <= 0
        || (ratePerSecond == 0) != (pacing == Pacing.NONE)) {
      throw new IllegalArgumentException(
          "message %d bytes (at least %d), rate %d/s, pacing %s (NONE with rate 0 only), warm-up %d ms, measured %d ms"
              .formatted(
                  messageBytes, MESSAGE_BYTES_MIN, ratePerSecond, pacing, warmupMs, measuredMs));
    }
  }

  /** This workload as settings of a process. */
  public Map<String, String> toSettings() {
    return Map.of(
        "kind", kind.name(),
        "messageBytes", Integer.toString(messageBytes),
        "ratePerSecond", Long.toString(ratePerSecond),
        "pacing", pacing.name(),
        "warmupMs", Long.toString(warmupMs),
        "measuredMs", Long.toString(measuredMs));
  }

  /** Reads what {@link #toSettings} has written. */
  public static Workload from(Settings settings) {
    return new Workload(
        MeasureKind.valueOf(settings.text("kind")),
        settings.number("messageBytes"),
        settings.longNumber("ratePerSecond"),
        Pacing.valueOf(settings.text("pacing")),
        settings.longNumber("warmupMs"),
        settings.longNumber("measuredMs"));
  }
}
