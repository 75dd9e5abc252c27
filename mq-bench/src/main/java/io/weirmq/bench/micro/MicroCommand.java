package io.weirmq.bench.micro;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code mq bench micro}: the microbenchmarks, with JMH's own options. */
@Command(
    name = "micro",
    description = {
      "Run microbenchmarks of the storage engine. Takes a pattern and the options of JMH, such as",
      "    mq bench micro Append -prof gc",
      "-h prints them all. MQ_BENCH_DIR names the folder to measure in."
    })
public final class MicroCommand implements Callable<Integer> {

  @Unmatched private List<String> jmhArguments = new ArrayList<>();

  @Override
  public Integer call() throws CommandLineOptionException, RunnerException, java.io.IOException {
    CommandLineOptions options = new CommandLineOptions(jmhArguments.toArray(new String[0]));
    if (options.shouldHelp()) {
      options.showHelp();
    } else if (options.shouldList()) {
      new Runner(options).list();
    } else {
      new Runner(options).run();
    }
    return 0;
  }
}
