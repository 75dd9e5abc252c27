package io.weirmq.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.bench.compare.worker.Outcome;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReportJsonTest {

  @Test
  void aReportComesBackAsItWas() {
    Report report = SampleReport.make();

    Report back = ReportJson.read(ReportJson.write(report));

    assertThat(back).isEqualTo(report);
    assertThat(Optional.ofNullable(back.measurements("there", "a").get(2).latency()))
        .hasValueSatisfying(
            latency -> assertThat(Outcome.decode(latency).getTotalCount()).isEqualTo(100));
  }

  @Test
  void anotherFormIsRefused() {
    String json = ReportJson.write(SampleReport.make()).replace("\"format\" : 1", "\"format\" : 9");

    assertThatThrownBy(() -> ReportJson.read(json))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("format 9, expected 1");
  }

  @Test
  void whatIsNoReportIsRefused() {
    assertThatThrownBy(() -> ReportJson.read("{\"suite\":"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a report");
  }
}
