package io.weirmq.bench.compare.worker;

import io.weirmq.bench.compare.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs another main class, a broker for instance, and is ready when a port of the loopback address
 * accepts connections. Settings: {@code main}, {@code port}, {@code argument.0} and so on.
 */
public final class MainWorker implements Worker {

  private static final long PROBE_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Settings settings;

  /** Made by {@link ContestantProcess}. */
  public MainWorker(Settings settings) {
    this.settings = settings;
  }

  @Override
  public Map<String, String> prepare() throws Exception {
    List<String> arguments = new ArrayList<>();
    for (int i = 0; settings.find("argument." + i).isPresent(); i++) {
      arguments.add(settings.text("argument." + i));
    }
    Class<?> main = Class.forName(settings.text("main"));
    Thread running =
        new Thread(
            () -> {
              try {
                main.getMethod("main", String[].class)
                    .invoke(null, (Object) arguments.toArray(String[]::new));
              } catch (Throwable e) {
                ContestantProcess.fail(e);
              }
            },
            "main of " + main.getSimpleName());
    running.setDaemon(true);
    running.start();
    awaitPort(settings.number("port"));
    return Map.of("bootstrap", "127.0.0.1:" + settings.text("port"));
  }

  /** Probes until the port accepts; the driver bounds the time. */
  private static void awaitPort(int port) throws InterruptedException {
    while (true) {
      try (Socket probe = new Socket()) {
        probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return;
      } catch (IOException notYet) {
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while port " + port + " did not accept");
        }
        LockSupport.parkNanos(PROBE_INTERVAL_NS);
      }
    }
  }

  @Override
  public Outcome run(Progress progress) {
    throw new IllegalStateException("a broker reports nothing");
  }

  @Override
  public void close() {
    // The end of the process stops it; what it would still write goes away with its folder.
  }
}
