package io.weirmq.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkdownReportTest {

  @Test
  void thePageIsTheGoldenOne() throws IOException {
    String page = MarkdownReport.render(SampleReport.make(), Map.of("there", "charts/there.svg"));

    try (InputStream golden = MarkdownReportTest.class.getResourceAsStream("sample-report.md")) {
      assertThat(golden).isNotNull();
      assertThat(page).isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void eachScenarioWithFiguresGetsACurveOrBars(@TempDir Path folder) throws IOException {
    Map<String, String> charts = Charts.write(SampleReport.make(), folder);

    assertThat(charts)
        .containsExactlyInAnyOrderEntriesOf(Map.of("flood", "flood.svg", "there", "there.svg"));
    // Two contestants, each with a solid line and two dashed ones of ten pieces; the legend has a
    // line for each.
    String curves = Files.readString(folder.resolve("there.svg"));
    assertThat(curves).startsWith("<?xml");
    assertThat(count(curves, "stroke-dasharray:3,3")).isEqualTo(40);
    assertThat(count(Files.readString(folder.resolve("flood.svg")), "<svg")).isEqualTo(1);
    assertThat(folder.resolve("there.png")).isNotEmptyFile();
  }

  private static long count(String text, String part) {
    return Pattern.compile(Pattern.quote(part)).matcher(text).results().count();
  }
}
