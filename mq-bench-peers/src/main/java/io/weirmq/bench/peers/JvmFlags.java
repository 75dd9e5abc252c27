package io.weirmq.bench.peers;

import java.util.ArrayList;
import java.util.List;

/** Flags of the JVMs at the ends. Constants. */
final class JvmFlags {

  /**
   * The collector with the highest throughput, and a heap whose young part is large, so that few
   * collections fall into a turn at a fixed rate: on two busy cores one stops a client for 50 to
   * 400 ms. No collection at the threshold of class metadata either. The log leaves DEBUG out:
   * Kafka's clients write a line per request there.
   */
  static final List<String> PLAIN =
      List.of(
          "-Xms768m",
          "-Xmx768m",
          "-Xmn512m",
          "-XX:MetaspaceSize=128m",
          "-XX:+UseParallelGC",
          "-Dlogback.configurationFile=weirmq-logback.xml");

  /** What Agrona and Chronicle want on Java 17, and bounds checks off as both advise for speed. */
  static final List<String> OPENED = opened();

  private JvmFlags() {}

  private static List<String> opened() {
    List<String> flags = new ArrayList<>(PLAIN);
    for (String name :
        List.of(
            "java.lang",
            "java.lang.reflect",
            "java.io",
            "java.util",
            "java.nio",
            "sun.nio.ch",
            "jdk.internal.misc")) {
      flags.add("--add-opens=java.base/" + name + "=ALL-UNNAMED");
    }
    flags.add("--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED");
    flags.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
    flags.add("--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED");
    flags.add("--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED");
    flags.add("-Dagrona.disable.bounds.checks=true");
    flags.add("-Dchronicle.analytics.disable=true");
    return List.copyOf(flags);
  }
}
