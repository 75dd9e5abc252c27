package io.weirmq.compat.clients;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Runs cases and prints one line for each, in the form that {@code compat/lib.sh} collects: {@code
 * CASE<tab>client<tab>case<tab>ok|FAIL<tab>seconds<tab>detail}. A failure does not stop the next
 * case.
 */
final class CaseRunner {
  private final String client;
  private final PrintStream out;
  private int failures;

  CaseRunner(String client, PrintStream out) {
    this.client = client;
    this.out = out;
  }

  /** A case; what it returns is the detail of its line. */
  @FunctionalInterface
  interface Case {
    String run() throws Exception;
  }

  void run(String name, Case body) {
    long began = System.nanoTime();
    String result = "ok";
    String detail;
    try {
      detail = body.run();
    } catch (Throwable thrown) {
      failures++;
      result = "FAIL";
      detail = oneLine(thrown.toString());
      thrown.printStackTrace();
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    out.printf(Locale.ROOT, "CASE\t%s\t%s\t%s\t%.1f\t%s%n", client, name, result, seconds, detail);
    out.flush();
  }

  int failures() {
    return failures;
  }

  private static String oneLine(String text) {
    String flat = text.replaceAll("\\s+", " ");
    return flat.length() > 300 ? flat.substring(0, 300) + "..." : flat;
  }
}
