package io.weirmq.storage.internal.compact;

import java.util.function.BooleanSupplier;

/** The budget of one run. Confined to the cleaner's thread. */
final class RunBudget implements IoBudget {

  private final RunEnvironment environment;
  private final BooleanSupplier stop;
  private long bytesRead;
  private long bytesWritten;

  RunBudget(RunEnvironment environment, BooleanSupplier stop) {
    this.environment = environment;
    this.stop = stop;
  }

  @Override
  public void read(int bytes) throws RunInterruptedException {
    acquire(bytes);
    bytesRead += bytes;
    environment.bytesRead().add(bytes);
  }

  @Override
  public void write(int bytes) throws RunInterruptedException {
    acquire(bytes);
    bytesWritten += bytes;
    environment.bytesWritten().add(bytes);
  }

  private void acquire(int bytes) throws RunInterruptedException {
    ensureNotStopped();
    pauseFor(() -> environment.throttle().acquire(bytes));
  }

  /** Lets a moment pass. */
  void pause(long nanos) throws RunInterruptedException {
    ensureNotStopped();
    pauseFor(() -> environment.pause().pause(nanos));
  }

  private void ensureNotStopped() throws RunInterruptedException {
    if (stop.getAsBoolean()) {
      throw new RunInterruptedException("the cleaner stops");
    }
  }

  private static void pauseFor(Pause pause) throws RunInterruptedException {
    try {
      pause.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RunInterruptedException("the cleaner's thread was interrupted");
    }
  }

  private interface Pause {
    void run() throws InterruptedException;
  }

  long bytesRead() {
    return bytesRead;
  }

  long bytesWritten() {
    return bytesWritten;
  }
}
