package io.weirmq.server;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Work that a process of another user does. Only an administrator can start one. */
final class OtherUser {

  /** A user and a group that need no names. */
  static final int ID = 54_321;

  private OtherUser() {}

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
   * Runs a process to its end.
   *
   * @param scratch an empty folder, whose parents others may pass through; the class path goes here
   * @param group number of its only group
   * @param arguments see {@link #main}
   * @return what it has said
   */
  static String run(Path scratch, int group, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "setpriv",
                "--reuid=" + ID,
                "--regid=" + group,
                "--clear-groups",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                copyClasses(scratch),
                OtherUser.class.getName()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said.strip();
  }

  private static String copyClasses(Path scratch) throws Exception {
    Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwxr-xr-x"));
    List<String> classPath = new ArrayList<>();
    for (Class<?> each :
        List.of(
            OtherUser.class,
            ApiKey.class,
            RecordBatchBuilder.class,
            Transport.class,
            Class.forName("io.weirmq.transport.shm.ShmTransportProvider"),
            Class.forName("org.xerial.snappy.SnappyOutputStream"), // the verifier looks for these
            Class.forName("net.jpountz.lz4.LZ4FrameOutputStream"),
            Class.forName("com.github.luben.zstd.ZstdOutputStream"),
            org.slf4j.LoggerFactory.class)) {
      Path source = Path.of(each.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path target = scratch.resolve(Integer.toString(classPath.size()));
      copy(source, target);
      classPath.add(target.toString());
    }
    return String.join(":", classPath);
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

  /**
   * The child: {@code make FOLDER} makes a runtime folder; {@code use FOLDER GROUP} produces and
   * fetches a record of topic t through shared memory, {@code read FOLDER GROUP} asks where the
   * records lie.
   */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[1]);
    if (arguments[0].equals("make")) {
      System.out.println(make(folder));
      return;
    }
    TransportOptions options =
        TransportOptions.defaults()
            .withIoThreads(1, "other-shm")
            .withProperties(Map.of("shm.group", arguments[2]));
    try (Transport transport = TransportProviders.open("shm", options);
        LocalClient client =
            LocalClient.connect(transport, Endpoint.ofPath("shm", folder.toString()))) {
      System.out.println(arguments[0].equals("read") ? read(client) : use(client));
    } catch (ExecutionException e) {
      System.out.println("refused: " + e.getMessage());
    }
  }

  /** Makes a runtime folder, and says what came of it. */
  static String make(Path folder) {
    try {
      return "made: " + LocalEndpoints.in(folder).createRuntimeFolder();
    } catch (IOException e) {
      return "refused: " + e.getMessage();
    }
  }

  private static String use(LocalClient client) throws Exception {
    long offset = client.produce("t", TestBroker.batch("of another user"));
    return client.ask(
        ApiKey.FETCH,
        12,
        TestBroker.fetch("t", 0, offset),
        FetchResponse.class,
        response ->
            "record %d came back in %d bytes"
                .formatted(
                    offset,
                    TestBroker.bytes(response.responses().get(0).partitions().get(0)).remaining()));
  }

  private static String read(LocalClient client) throws Exception {
    return client.ask(
        ApiKey.DIRECT_READ,
        0,
        new DirectReadRequest().setTopic("t").setMaxBytes(1_000),
        DirectReadResponse.class,
        response -> "records lie in " + response.segmentPath());
  }
}
