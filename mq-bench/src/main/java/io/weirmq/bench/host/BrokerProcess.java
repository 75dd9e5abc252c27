package io.weirmq.bench.host;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A broker in a process of its own, on a free loopback port and a temporary data folder. Closing
 * ends the process and removes the folder. Confined to one thread.
 */
public final class BrokerProcess implements AutoCloseable {

  private static final int CONNECT_ATTEMPTS_MAX = 600;
  private static final long CONNECT_INTERVAL_MS = 50;
  private static final long STOP_SECONDS = 20;

  private final Process process;
  private final int port;
  private final Path dataFolder;

  private BrokerProcess(Process process, int port, Path dataFolder) {
    this.process = process;
    this.port = port;
    this.dataFolder = dataFolder;
  }

  /**
   * Starts a broker with this JVM's class path and waits until it accepts connections.
   *
   * @param jvmFlags flags of its JVM
   * @throws IOException where it does not come up
   */
  public static BrokerProcess start(List<String> jvmFlags) throws IOException {
    int port = Ports.free();
    Path dataFolder = BenchFolder.create();
    List<String> command = JavaCommand.ofBroker(jvmFlags, port, dataFolder);
    File log = dataFolder.resolveSibling(dataFolder.getFileName() + ".log").toFile();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    BrokerProcess broker = new BrokerProcess(process, port, dataFolder);
    try {
      broker.awaitListening();
    } catch (IOException e) {
      String output = Files.readString(log.toPath());
      broker.close();
      throw new IOException(e.getMessage() + "; it printed:\n" + output, e);
    }
    return broker;
  }

  /** The broker's process id. */
  public long pid() {
    return process.pid();
  }

  /** Where it listens, as {@code host:port}. */
  public String bootstrap() {
    return "127.0.0.1:" + port;
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Files.deleteIfExists(dataFolder.resolveSibling(dataFolder.getFileName() + ".log"));
    BenchFolder.remove(dataFolder);
  }

  private void awaitListening() throws IOException {
    for (int attempt = 0; attempt < CONNECT_ATTEMPTS_MAX; attempt++) {
      try (Socket probe = new Socket()) {
        probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return;
      } catch (IOException e) {
        pauseOrEnd();
      }
    }
    throw new IOException("the broker did not listen on port " + port);
  }

  private void pauseOrEnd() throws IOException {
    try {
      if (process.waitFor(CONNECT_INTERVAL_MS, TimeUnit.MILLISECONDS)) {
        throw new IOException("the broker ended with exit code " + process.exitValue());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the broker started", e);
    }
  }
}
