/**
 * Results and their presentation: {@link io.weirmq.bench.compare.report.Report} is all that a run
 * has found, written and read as JSON by {@link io.weirmq.bench.compare.report.ReportJson}; {@link
 * io.weirmq.bench.compare.report.MarkdownReport} and {@link io.weirmq.bench.compare.report.Charts}
 * show it.
 *
 * <p><b>Statistics.</b> A figure is shown as the median of its turns with the smallest and the
 * largest ({@link io.weirmq.bench.compare.report.Spread}). A ratio is formed within a round, as
 * both turns had the same machine, and then summed up ({@link
 * io.weirmq.bench.compare.report.Ratios}): the median of the ratios is not the ratio of the
 * medians. There are no means: they hide stalls.
 *
 * <p>All types are immutable or stateless.
 */
@NullMarked
package io.weirmq.bench.compare.report;

import org.jspecify.annotations.NullMarked;
