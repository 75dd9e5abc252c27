package io.weirmq.server.cli;

import java.io.PrintWriter;
import java.util.function.LongSupplier;

/**
 * A progress bar on standard error, redrawn a few times a second at most; silent where nobody
 * looks. Confined to one thread.
 */
final class ProgressBar {

  private static final int WIDTH = 40;
  private static final long REDRAW_INTERVAL_NS = 200_000_000L;

  private final PrintWriter out;
  private final LongSupplier nanoClock;
  private final boolean visible;
  private final long totalBytes;
  private long doneBytes;
  private long drawnNs;

  ProgressBar(PrintWriter out, LongSupplier nanoClock, boolean visible, long totalBytes) {
    this.out = out;
    this.nanoClock = nanoClock;
    this.visible = visible;
    this.totalBytes = Math.max(1, totalBytes);
    this.drawnNs = nanoClock.getAsLong();
  }

  /** Counts work done. */
  void advance(long bytes) {
    doneBytes += bytes;
    long nowNs = nanoClock.getAsLong();
    if (visible && nowNs - drawnNs >= REDRAW_INTERVAL_NS) {
      drawnNs = nowNs;
      draw();
    }
  }

  /** Draws the end and goes to the next line. */
  void finish() {
    if (visible) {
      draw();
      out.println();
      out.flush();
    }
  }

  private void draw() {
    int filled = (int) Math.min(WIDTH, doneBytes * WIDTH / totalBytes);
    out.printf(
        "\r[%s%s] %3d %%  %d MiB",
        "=".repeat(filled),
        " ".repeat(WIDTH - filled),
        Math.min(100, doneBytes * 100 / totalBytes),
        doneBytes >> 20);
    out.flush();
  }
}
