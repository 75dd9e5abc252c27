package io.weirmq.bench.compare.report;

import de.erichseifert.vectorgraphics2d.Document;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import io.weirmq.bench.compare.Metric;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.worker.Outcome;
import java.awt.Color;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Charts of a report, as SVG and PNG: percentile curves for latencies, bars for rates, both with
 * their spread over the turns. Draws without a display. Stateless.
 */
public final class Charts {

  private static final int WIDTH = 960;
  private static final int HEIGHT = 540;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double LABEL_TOLERANCE = 1e-6;

  /** Where curves have points; further out there are too few messages to tell. */
  private static final List<Double> PERCENTILES =
      List.of(0.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99);

  private Charts() {}

  /**
   * Draws a chart for each scenario that has figures.
   *
   * @param folder where the files go; made where it isn't there
   * @return name of the SVG file of a scenario by its id
   * @throws IOException where a file can't be written
   */
  public static Map<String, String> write(Report report, Path folder) throws IOException {
    Files.createDirectories(folder);
    Map<String, String> names = new TreeMap<>();
    for (Scenario scenario : report.scenarios()) {
      Chart<?, ?> chart =
          scenario.kind().isLatency() ? latencies(report, scenario) : rates(report, scenario);
      if (chart != null) {
        String name = scenario.id() + ".svg";
        writeSvg(chart, folder.resolve(name));
        BitmapEncoder.saveBitmap(
            chart, folder.resolve(scenario.id()).toString(), BitmapEncoder.BitmapFormat.PNG);
        names.put(scenario.id(), name);
      }
    }
    return names;
  }

  private static void writeSvg(Chart<?, ?> chart, Path file) throws IOException {
    VectorGraphics2D graphics = new VectorGraphics2D();
    chart.paint(graphics, WIDTH, HEIGHT);
    Document document =
        new SVGProcessor().getDocument(graphics.getCommands(), new PageSize(WIDTH, HEIGHT));
    try (OutputStream out = Files.newOutputStream(file)) {
      document.writeTo(out);
    }
  }

  /** Median of the turns at each percentile, with thin lines for the smallest and the largest. */
  private static @Nullable XYChart latencies(Report report, Scenario scenario) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(scenario.title() + ": median of the turns; dashed: smallest, largest")
            .xAxisTitle("percentile")
            .yAxisTitle("µs")
            .build();
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setxAxisTickLabelsFormattingFunction(Charts::percentileLabel);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    Color[] colors = chart.getStyler().getSeriesColors();
    int index = 0;
    for (ContestantFacts contestant : report.contestantsOf(scenario.id())) {
      List<Histogram> turns = new ArrayList<>();
      for (Measurement measurement : report.measurements(scenario.id(), contestant.id())) {
        if (measurement.latency() != null) {
          turns.add(Outcome.decode(measurement.latency()));
        }
      }
      if (!turns.isEmpty()) {
        Color color = colors[index++ % colors.length];
        curve(chart, contestant.id(), turns, Spread::median, color, true);
        curve(chart, contestant.id() + " min", turns, Spread::min, color, false);
        curve(chart, contestant.id() + " max", turns, Spread::max, color, false);
      }
    }
    return index == 0 ? null : chart;
  }

  private static void curve(
      XYChart chart,
      String name,
      List<Histogram> turns,
      ToDoubleFunction<Spread> value,
      Color color,
      boolean isMain) {
    List<Double> xs = new ArrayList<>();
    List<Double> ys = new ArrayList<>();
    for (double percentile : PERCENTILES) {
      List<Double> micros =
          turns.stream()
              .map(turn -> Math.max(1, turn.getValueAtPercentile(percentile)) / NANOS_PER_MICRO)
              .toList();
      xs.add(Math.log10(100 / (100 - percentile)));
      ys.add(value.applyAsDouble(Spread.of(micros)));
    }
    XYSeries series = chart.addSeries(name, xs, ys);
    series.setMarker(SeriesMarkers.NONE).setLineColor(color).setShowInLegend(isMain);
    series.setLineStyle(isMain ? SeriesLines.SOLID : SeriesLines.DASH_DASH);
    series.setLineWidth(isMain ? 2f : 0.7f);
  }

  /**
   * The axis shows the number of nines, so that each further one takes the same space; only whole
   * ones get a label.
   */
  private static String percentileLabel(double nines) {
    if (Math.abs(nines - Math.rint(nines)) > LABEL_TOLERANCE) {
      return "";
    }
    return String.format(Locale.ROOT, "%.6f", 100 - 100 / Math.pow(10, Math.rint(nines)))
            .replaceAll("0+$", "")
            .replaceAll("\\.$", "")
        + "%";
  }

  /** Bars of the medians, with marks at the smallest and the largest. */
  private static @Nullable CategoryChart rates(Report report, Scenario scenario) {
    List<String> names = new ArrayList<>();
    List<Double> medians = new ArrayList<>();
    List<Double> lowest = new ArrayList<>();
    List<Double> highest = new ArrayList<>();
    for (ContestantFacts contestant : report.contestantsOf(scenario.id())) {
      var rates = report.figures(scenario.id(), contestant.id(), Metric.RATE).values();
      if (!rates.isEmpty()) {
        Spread spread = Spread.of(rates);
        names.add(contestant.id());
        medians.add(spread.median());
        lowest.add(spread.min());
        highest.add(spread.max());
      }
    }
    if (names.isEmpty()) {
      return null;
    }
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(scenario.title() + ": median, smallest and largest of the turns")
            .yAxisTitle(Metric.RATE.unit())
            .build();
    chart.getStyler().setYAxisDecimalPattern("#,###").setXAxisLabelRotation(30);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setOverlapped(true); // the marks stand on their bars, not beside them
    chart.addSeries("median", names, medians);
    mark(chart, "smallest", names, lowest);
    mark(chart, "largest", names, highest);
    return chart;
  }

  private static void mark(
      CategoryChart chart, String name, List<String> names, List<Double> values) {
    CategorySeries series = chart.addSeries(name, names, values);
    series.setChartCategorySeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Scatter);
    series.setMarker(SeriesMarkers.DIAMOND).setMarkerColor(Color.DARK_GRAY);
  }
}
