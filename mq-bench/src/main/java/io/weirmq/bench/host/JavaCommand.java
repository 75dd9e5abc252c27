package io.weirmq.bench.host;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines that run Java programs with this process's Java. Stateless. */
public final class JavaCommand {

  private JavaCommand() {}

  /**
   * A program of this JVM's class path.
   *
   * @param flags flags of its JVM
   */
  public static List<String> of(List<String> flags, String mainClass, String... arguments) {
    return of(flags, ownClassPath(), mainClass, List.of(arguments));
  }

  /**
   * A program of any class path.
   *
   * @param flags flags of its JVM
   * @return the caller's own
   */
  public static List<String> of(
      List<String> flags, String classPath, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", classPath, mainClass));
    command.addAll(arguments);
    return command;
  }

  /**
   * A broker of this JVM's class path.
   *
   * @param flags flags of its JVM
   * @param port where it listens, on the loopback address
   * @param dataFolder where its logs lie
   */
  public static List<String> ofBroker(List<String> flags, int port, Path dataFolder) {
    return of(
        flags,
        "io.weirmq.server.cli.Main",
        "server",
        "--set",
        "listeners=PLAINTEXT://127.0.0.1:" + port,
        "--set",
        "log.dirs=" + dataFolder);
  }

  /** This JVM's class path. */
  public static String ownClassPath() {
    return System.getProperty("java.class.path");
  }
}
