package io.weirmq.transport.shm.internal;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.shm.TestFolder;
import io.weirmq.transport.shm.internal.ring.RecordKind;
import io.weirmq.transport.shm.internal.ring.RingReader;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A process of its own that listens or connects, until it is killed. */
final class ChildProcess implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;

  private ChildProcess(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Listens and sends every frame back. */
  static ChildProcess serve(Path folder) throws IOException {
    return start("serve", folder);
  }

  /** Connects again and again, and exchanges frames all the time. */
  static ChildProcess storm(Path folder) throws IOException {
    return start("storm", folder);
  }

  /**
   * Claims room for a frame and commits it when it is {@link #tell told} to; then connects again.
   */
  static ChildProcess claim(Path folder) throws IOException {
    return start("claim", folder);
  }

  /** Takes the folder and gives it free again, once for each {@link #tell}. */
  static ChildProcess takeInRounds(Path folder) throws IOException {
    return start("take", folder);
  }

  /** Serves as a process of a pid namespace of its own, where it has number 1 or 2. */
  static ChildProcess serveInNamespace(Path folder) throws IOException {
    return start("serve", folder, "unshare", "--pid", "--fork", "--kill-child");
  }

  /** Whether this system lets us make pid namespaces. */
  static boolean hasNamespaces() throws InterruptedException {
    try {
      Process process = new ProcessBuilder("unshare", "--pid", "--fork", "true").start();
      return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // there is no such command here
    }
  }

  private static ChildProcess start(String role, Path folder, String... prefix) throws IOException {
    List<String> command = new ArrayList<>(List.of(prefix));
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            ChildProcess.class.getName(),
            role,
            folder.toString()));
    return new ChildProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Waits for the process to say that it has begun. */
  void awaitBegun() throws IOException {
    String line = output.readLine();
    while (line != null && !line.equals("begun")) {
      line = output.readLine();
    }
    if (line == null) {
      throw new IOException("the child process ended before it had begun");
    }
  }

  /** Has it begin a round. */
  void tell() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Waits for the result of a round. */
  String awaitLine() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the child process ended within a round");
    }
    return line;
  }

  /** Sends a signal, {@code STOP} or {@code CONT}. */
  void signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    if (kill.waitFor() != 0) {
      throw new IOException("kill -" + name + " failed");
    }
  }

  /** Ends it by SIGKILL, and returns when it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the child process does not end");
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** The child. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[1]);
    // Closed at the end, so that no thread keeps a child alive whose parent has ended.
    try (ShmTransport transport = Transports.open()) {
      if (arguments[0].equals("serve")) {
        serve(transport, folder);
      } else if (arguments[0].equals("take")) {
        takeInRounds(transport, folder);
      } else if (arguments[0].equals("claim")) {
        claimAndCommit(folder);
      } else {
        storm(transport, folder);
      }
    }
  }

  @SuppressWarnings("SystemOut")
  private static void serve(ShmTransport transport, Path folder) throws IOException {
    try (Listener listener = transport.listen(TestFolder.endpoint(folder), made -> new Echo())) {
      System.out.println("begun");
      // Nobody writes to it: returns where the parent has ended.
      int end = System.in.read();
      System.out.println(listener.counters() + ", " + end);
    }
  }

  @SuppressWarnings("SystemOut")
  private static void claimAndCommit(Path folder) throws IOException {
    try (RawPeer.Joined peer = RawPeer.join(folder)) {
      RingWriter writer = peer.writer();
      writer.memory().put(writer.claim(100), new byte[100]);
      System.out.println("begun");
      if (System.in.read() < 0) {
        return; // the parent has ended
      }
      writer.commit(RecordKind.WHOLE);
      String bell = "rung";
      try {
        peer.peer().ring();
      } catch (IOException e) {
        bell = e.getMessage();
      }
      System.out.println("committed; the bell: " + bell);
    }
    try (RawPeer.Joined again = RawPeer.join(folder)) {
      RingWriter writer = again.writer();
      writer.memory().put(writer.claim(4), new byte[4]);
      writer.commit(RecordKind.WHOLE);
      again.peer().ring();
      RingReader reader = again.reader();
      AtomicInteger bytes = new AtomicInteger();
      while (reader.read((kind, memory, at, length) -> bytes.addAndGet(length) < 0, 1) == 0) {
        Thread.onSpinWait();
      }
      System.out.println("connected again, " + bytes + " bytes came back");
    }
  }

  @SuppressWarnings("SystemOut")
  private static void takeInRounds(ShmTransport transport, Path folder) throws Exception {
    System.out.println("begun");
    while (System.in.read() >= 0) {
      System.out.println(take(transport, folder));
    }
  }

  /** Takes the folder as soon as nobody else has it, and uses it. */
  @SuppressWarnings("ThreadPriorityCheck") // lets the one run who has it
  private static String take(ShmTransport transport, Path folder) throws Exception {
    while (true) {
      try (Listener listener = transport.listen(TestFolder.endpoint(folder), made -> new Echo())) {
        RecordingHandler handler = new RecordingHandler();
        Connection connection =
            transport
                .connect(listener.endpoint(), handler)
                .toCompletableFuture()
                .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
        connection.send(OutboundFrame.of(ByteBuffer.allocate(100)));
        connection.flush();
        return "took it, " + handler.awaitFrame().length + " bytes came back";
      } catch (IOException e) {
        if (!String.valueOf(e.getMessage()).contains("in use")) {
          return "failed: " + e;
        }
        Thread.yield();
      }
    }
  }

  @SuppressWarnings("SystemOut")
  private static void storm(ShmTransport transport, Path folder) throws Exception {
    System.out.println("begun");
    while (true) {
      Connection connection =
          transport
              .connect(TestFolder.endpoint(folder), new Echo())
              .toCompletableFuture()
              .get(20, TimeUnit.SECONDS);
      connection.send(OutboundFrame.of(ByteBuffer.allocate(100_000)));
      for (int i = 0; i < 1_000; i++) {
        connection.send(OutboundFrame.of(ByteBuffer.allocate(i)));
        connection.flush();
      }
      connection.close();
    }
  }

  /** Sends frames back. */
  private static final class Echo implements ConnectionHandler {
    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      ByteBuffer copy = ByteBuffer.allocate(frame.buffer().remaining()).put(frame.buffer()).flip();
      frame.release();
      connection.send(OutboundFrame.of(copy));
      connection.flush();
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {}
  }
}
