package io.weirmq.compat.clients;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The programs of this package by name; see {@link #USAGE}. */
public final class Main {
  private static final String USAGE =
      """
      cases BOOTSTRAP LABEL          producer, consumer, group and admin cases, one line each
      smoke BOOTSTRAP LABEL          one produce and consume
      warm-up BOOTSTRAP GROUP        a first group, so that the offsets topic is there
      dump BOOTSTRAP TOPIC           values of partition 0, 1, ... to standard output, one a line
      load BOOTSTRAP TOPIC COUNT ACKS   idempotent load; acknowledged records go to the file ACKS
      verify BOOTSTRAP TOPIC ACKS    nothing of ACKS missing, nothing twice, in order
      member BOOTSTRAP TOPIC GROUP NAME  consumes for ever, prints what it gets
      fill BOOTSTRAP TOPIC PARTITIONS COUNT   COUNT numbered records, round robin by number
      watch BOOTSTRAP TOPIC SECONDS  tells what a producer and a consumer see, and when it changes
      committed BOOTSTRAP TOPIC GROUP   committed and end offset of each partition
      """;

  private Main() {}

  /** Runs the program that the first argument names; ends with status 1 when it failed. */
  public static void main(String[] args) throws Exception {
    if (args.length < 3) {
      System.err.print(USAGE);
      System.exit(2);
    }
    List<String> rest = Arrays.asList(args).subList(1, args.length);
    Cluster cluster = new Cluster(rest.get(0));
    boolean passed =
        switch (args[0]) {
          case "cases" -> cases(cluster, rest.get(1));
          case "smoke" -> smoke(cluster, rest.get(1));
          case "warm-up" -> new GroupCases(cluster, rest.get(1)).warmUp();
          case "dump" -> TopicDump.dump(cluster, rest.get(1), System.out);
          case "load" ->
              new KilledLoad(cluster, rest.get(1))
                  .load(Integer.parseInt(rest.get(2)), Path.of(rest.get(3)));
          case "verify" -> new KilledLoad(cluster, rest.get(1)).verify(Path.of(rest.get(2)));
          case "member" -> GroupMember.run(cluster, rest.get(1), rest.get(2), rest.get(3));
          case "watch" ->
              new DiskWatch(cluster, rest.get(1)).run(Integer.parseInt(rest.get(2)));
          case "fill" ->
              GroupMember.fill(
                  cluster,
                  rest.get(1),
                  Integer.parseInt(rest.get(2)),
                  Integer.parseInt(rest.get(3)));
          case "committed" -> GroupMember.committed(cluster, rest.get(1), rest.get(2));
          default -> throw new IllegalArgumentException("unknown program: " + args[0]);
        };
    System.out.flush();
    System.exit(passed ? 0 : 1);
  }

  private static boolean cases(Cluster cluster, String label) {
    CaseRunner runner = new CaseRunner("java " + label, System.out);
    String prefix = "java-" + label + "-";
    new ProducerCases(cluster, prefix).run(runner);
    new ConsumerCases(cluster, prefix).run(runner);
    new GroupCases(cluster, prefix).run(runner);
    new AdminCases(cluster, prefix).run(runner);
    // Failures were reported case by case; the status says only that the program ran to its end.
    return true;
  }

  private static boolean smoke(Cluster cluster, String label) {
    CaseRunner runner = new CaseRunner(label, System.out);
    new ProducerCases(cluster, "smoke-" + System.nanoTime() + "-").smoke(runner);
    return runner.failures() == 0;
  }
}
