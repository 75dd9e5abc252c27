package io.weirmq.bench;

import io.weirmq.server.cli.CliExtension;

/** Adds {@code bench} to the command line. Stateless. */
public final class BenchExtension implements CliExtension {

  /** Made by the service loader. */
  public BenchExtension() {}

  @Override
  public String name() {
    return "bench";
  }

  @Override
  public Object command() {
    return new BenchCommand();
  }
}
