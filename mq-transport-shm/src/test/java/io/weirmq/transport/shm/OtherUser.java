package io.weirmq.transport.shm;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process of another user of this system. Only an administrator can start one. */
final class OtherUser implements AutoCloseable {

  /** A user and a first group that need no names. */
  static final int ID = 54_321;

  /** The child's class path, where another user may read it. */
  private final Path classes;

  private final Process process;
  private final BufferedReader output;

  private OtherUser(Path classes, Process process) {
    this.classes = classes;
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Whether processes of other users can be started here. */
  static boolean canBeStarted() throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder("setpriv", "--reuid=" + ID, "--regid=" + ID, "--clear-groups", "true")
              .start();
      return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // there is no such command here
    }
  }

  /**
   * Starts a process.
   *
   * @param firstGroup number of its first group
   * @param furtherGroup number of another one, or 0
   * @param role {@code connect} or {@code listen}
   * @param group of its options, or empty
   */
  static OtherUser start(int firstGroup, int furtherGroup, String role, Path folder, String group)
      throws Exception {
    Path classes = Files.createTempDirectory("classes");
    Files.setPosixFilePermissions(classes, PosixFilePermissions.fromString("rwxr-xr-x"));
    List<String> classPath = new ArrayList<>();
    for (Class<?> each :
        List.of(
            OtherUser.class, ShmOptions.class, Transport.class, org.slf4j.LoggerFactory.class)) {
      Path source = Path.of(each.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path target = classes.resolve(Integer.toString(classPath.size()));
      copy(source, target);
      classPath.add(target.toString());
    }
    List<String> command =
        List.of(
            "setpriv",
            "--reuid=" + ID,
            "--regid=" + firstGroup,
            furtherGroup == 0 ? "--clear-groups" : "--groups=" + furtherGroup,
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xmx128m",
            "-cp",
            String.join(":", classPath),
            OtherUser.class.getName(),
            role,
            folder.toString(),
            group);
    return new OtherUser(
        classes,
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  private static void copy(Path source, Path target) throws IOException {
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : files.toList()) {
        Path copy = target.resolve(source.relativize(file).toString());
        Files.copy(file, copy);
        Files.setPosixFilePermissions(
            copy,
            PosixFilePermissions.fromString(Files.isDirectory(file) ? "rwxr-xr-x" : "rw-r--r--"));
      }
    }
  }

  /** Waits for the next line that the process has to say. */
  String awaitLine() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the child process ended without a word");
    }
    return line;
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** The child. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[1]);
    ShmOptions defaults = ShmOptions.defaults();
    ShmOptions options = arguments[2].isEmpty() ? defaults : defaults.withGroup(arguments[2]);
    try (Transport transport =
        new ShmTransportProvider(options).open(TransportOptions.defaults())) {
      if (arguments[0].equals("listen")) {
        try (Listener listener =
            transport.listen(TestFolder.endpoint(folder), made -> new Echo(null))) {
          System.out.println("listens");
          // Nobody writes to it: returns where the parent has ended.
          int end = System.in.read();
          System.out.println(listener.counters() + ", " + end);
        }
      } else {
        System.out.println(exchange(transport, folder));
      }
    }
  }

  private static String exchange(Transport transport, Path folder) throws Exception {
    CompletableFuture<Integer> answer = new CompletableFuture<>();
    try {
      Connection connection =
          transport
              .connect(TestFolder.endpoint(folder), new Echo(answer))
              .toCompletableFuture()
              .get(20, TimeUnit.SECONDS);
      connection.send(OutboundFrame.of(ByteBuffer.allocate(300_000)));
      connection.flush();
      return "admitted, " + answer.get(20, TimeUnit.SECONDS) + " bytes came back";
    } catch (ExecutionException e) {
      return "refused, " + e.getMessage();
    }
  }

  /** Sends frames back, or takes the first one as an answer. */
  private record Echo(@Nullable CompletableFuture<Integer> answer) implements ConnectionHandler {
    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      int length = frame.buffer().remaining();
      frame.release();
      if (answer != null) {
        answer.complete(length);
      } else {
        connection.send(OutboundFrame.of(ByteBuffer.allocate(length)));
        connection.flush();
      }
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {
      if (answer != null) {
        answer.completeExceptionally(new IOException("ended", cause));
      }
    }
  }
}
