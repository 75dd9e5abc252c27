package io.weirmq.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.util.DefaultLocale;

/** Where a comma separates decimals, reports stay what they are. */
@DefaultLocale("de-DE")
class BenchReportTest {

  @Test
  void theJsonIsValidInAGermanLocale() throws Exception {
    String json = report().toJson();

    JsonNode read = JsonMapper.builder().build().readTree(json);
    assertThat(read.size()).isEqualTo(8);
    assertThat(read.get("intendedPerSecond").longValue()).isEqualTo(5_000);
    assertThat(read.get("perSecond").longValue()).isEqualTo(4_000);
    assertThat(read.get("failedBatches").longValue()).isEqualTo(3);
    assertThat(read.get("p50Ms").doubleValue()).isEqualTo(1.5);
    assertThat(read.get("p999Ms").doubleValue()).isEqualTo(1.5);
    assertThat(read.get("brokerCpuSecondsPerMillion").doubleValue()).isEqualTo(62.5);
    assertThat(read.get("brokerResidentBytes").longValue()).isEqualTo(2 << 20);
  }

  @Test
  void theTextHasPointsInAGermanLocale() {
    assertThat(report().toText())
        .contains("intended      5,000 records/s")
        .contains("acknowledged  4,000 records/s (8,000 in 2.0 s, 3 batches failed)")
        .contains("p50 1.50  p99 1.50")
        .contains("62.500 CPU s per million records, 2 MiB resident");
  }

  /** 8,000 records in 2 s, 1.5 ms each; half a second of processor time. */
  private static BenchReport report() {
    // Five digits, so that the bucket of 1.5 ms is 16 ns wide.
    Histogram latency = new Histogram(3_600_000_000_000L, 5);
    latency.recordValueWithCount(1_500_000, 8_000);
    return new BenchReport(5_000, 8_000, 2, 3, latency, 0.5, 2 << 20);
  }
}
