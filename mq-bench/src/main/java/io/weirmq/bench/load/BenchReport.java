package io.weirmq.bench.load;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * What a run measured. Immutable.
 *
 * @param intendedPerSecond records per second that were asked for
 * @param acknowledged records that were acknowledged in the counted time
 * @param seconds counted time
 * @param failed batches that were refused or got no answer
 * @param latencyNs time from intended send to acknowledgement of each record, nanoseconds
 * @param brokerCpuSeconds CPU time of the broker in the counted time, negative where unknown
 * @param brokerResidentBytes resident memory of the broker at the end, negative where unknown
 */
public record BenchReport(
    long intendedPerSecond,
    long acknowledged,
    double seconds,
    long failed,
    Histogram latencyNs,
    double brokerCpuSeconds,
    long brokerResidentBytes) {

  /** Records acknowledged per second. */
  public double perSecond() {
    return acknowledged / seconds;
  }

  /** CPU seconds of the broker per million records, negative where unknown. */
  public double cpuPerMillion() {
    return acknowledged == 0 ? -1 : brokerCpuSeconds * 1_000_000 / acknowledged;
  }

  /** A percentile of the latency in milliseconds. */
  public double latencyMs(double percentile) {
    return latencyNs.getValueAtPercentile(percentile) / 1e6;
  }

  /** One line of JSON, whatever the locale. */
  public String toJson() {
    return String.format(
        Locale.ROOT,
        "{\"intendedPerSecond\":%d,\"perSecond\":%.0f,\"failedBatches\":%d,\"p50Ms\":%.3f,"
            + "\"p99Ms\":%.3f,\"p999Ms\":%.3f,\"brokerCpuSecondsPerMillion\":%.4f,"
            + "\"brokerResidentBytes\":%d}",
        intendedPerSecond,
        perSecond(),
        failed,
        latencyMs(50),
        latencyMs(99),
        latencyMs(99.9),
        cpuPerMillion(),
        brokerResidentBytes);
  }

  /** A few lines for people. */
  public String toText() {
    String text =
        String.format(
            Locale.ROOT,
            """
            intended      %,d records/s
            acknowledged  %,.0f records/s (%,d in %.1f s, %d batches failed)
            latency       p50 %.2f  p99 %.2f  p99.9 %.2f  max %.2f ms, from the intended send time
            """,
            intendedPerSecond,
            perSecond(),
            acknowledged,
            seconds,
            failed,
            latencyMs(50),
            latencyMs(99),
            latencyMs(99.9),
            latencyNs.getMaxValue() / 1e6);
    if (brokerCpuSeconds >= 0) {
      text +=
          String.format(
              Locale.ROOT,
              "broker        %.3f CPU s per million records, %d MiB resident%n",
              cpuPerMillion(),
              brokerResidentBytes >> 20);
    }
    return text;
  }
}
