package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Outcome;
import io.weirmq.bench.compare.worker.Worker;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Misbehaves as setting {@code fault} says. */
public final class FakeWorker implements Worker {

  private final String fault;

  /** Made by name. */
  public FakeWorker(Settings settings) {
    this.fault = settings.text("fault");
  }

  @Override
  public Map<String, String> prepare() {
    if (fault.equals("refuses to start")) {
      throw new IllegalStateException("the port is taken");
    }
    return Map.of();
  }

  @Override
  public Outcome run(Progress progress) throws InterruptedException {
    progress.measuring();
    switch (fault) {
      case "dies" -> {
        System.out.println("something went wrong");
        Runtime.getRuntime().halt(3);
      }
      case "hangs" -> new CountDownLatch(1).await();
      default -> progress.measured();
    }
    return new Outcome(10, 9, 9, 1, 1, 0, 0, null);
  }

  @Override
  public void close() throws InterruptedException {
    if (fault.equals("hangs")) {
      new CountDownLatch(1).await();
    }
  }
}
