package io.weirmq.testkit.storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong on a file system while its power is on. Rules are asked in the order in which
 * they were made; the first that matches decides. Safe for use by several threads.
 *
 * <p>Rules see an operation before it is done, so a failing one changes nothing, but for two: a
 * write that {@link #failWritesAfter} fails has written some bytes, and a force that fails leaves
 * the bytes that it should have covered in doubt, see {@link PowerCut}.
 */
public final class Faults {

  private static final long NEVER = Long.MAX_VALUE;

  private final List<Rule> rules = new ArrayList<>();
  private final List<Hold> holds = new ArrayList<>();
  private Consumer<FileOperation> observer = operation -> {};
  private @Nullable SplittableRandom transfers;
  private long changesLeft = NEVER;
  private long changes;

  private static final class Rule {

    private final Predicate<FileOperation> matches;
    private final Function<FileOperation, ? extends Throwable> cause;
    private final long bytesBefore;
    private long toSkip;
    private long left;

    Rule(
        Predicate<FileOperation> matches,
        Function<FileOperation, ? extends Throwable> cause,
        long toSkip,
        long left,
        long bytesBefore) {
      this.matches = matches;
      this.cause = cause;
      this.toSkip = toSkip;
      this.left = left;
      this.bytesBefore = bytesBefore;
    }

    boolean takes(FileOperation operation) {
      if (left == 0 || !matches.test(operation)) {
        return false;
      }
      if (toSkip > 0) {
        toSkip--;
        return false;
      }
      left--;
      return true;
    }
  }

  private record Hold(Predicate<FileOperation> matches, FileGate gate) {}

  /** How an operation fails. */
  record Failure(Throwable cause, long bytesBefore) {

    IOException thrown() throws IOException {
      if (cause instanceof Error error) {
        throw error;
      }
      if (cause instanceof RuntimeException exception) {
        throw exception;
      }
      if (cause instanceof IOException exception) {
        throw exception;
      }
      throw new IOException(cause);
    }
  }

  Faults() {}

  /** Fails every operation that matches, with an I/O error. */
  public void fail(Predicate<FileOperation> matches) {
    fail(matches, NEVER);
  }

  /**
   * Fails the next operations that match, with an I/O error.
   *
   * @param times how many of them, 1 or more
   */
  public synchronized void fail(Predicate<FileOperation> matches, long times) {
    rules.add(new Rule(matches, Faults::ioError, 0, times, 0));
  }

  /**
   * Fails one operation that matches, with an I/O error.
   *
   * @param n which of them, from now on; 1 is the next
   */
  public synchronized void failNth(Predicate<FileOperation> matches, long n) {
    rules.add(new Rule(matches, Faults::ioError, n - 1, 1, 0));
  }

  /**
   * Fails every write that matches after a part of it was done.
   *
   * @param bytes that are written before, 0 or more
   */
  public synchronized void failWritesAfter(Predicate<FileOperation> matches, long bytes) {
    rules.add(
        new Rule(
            operation -> operation.kind() == FileOperation.Kind.WRITE && matches.test(operation),
            Faults::ioError,
            0,
            NEVER,
            bytes));
  }

  /**
   * Lets something of the test's own come out of every operation that matches.
   *
   * @param cause an {@link IOException}, an unchecked exception or an {@link Error}
   */
  public synchronized void throwing(
      Predicate<FileOperation> matches, Function<FileOperation, ? extends Throwable> cause) {
    rules.add(new Rule(matches, cause, 0, NEVER, 0));
  }

  private static IOException ioError(FileOperation operation) {
    return new IOException("Input/output error: " + operation);
  }

  /** Holds every operation that matches up before it is done, until the test opens the gate. */
  public synchronized FileGate hold(Predicate<FileOperation> matches) {
    FileGate gate = new FileGate();
    holds.add(new Hold(matches, gate));
    return gate;
  }

  /** Lets reads and writes move fewer bytes than asked, at least one. */
  public synchronized void shortTransfers(long seed) {
    transfers = new SplittableRandom(seed);
  }

  /**
   * Turns the power off after some more changes; the first operation behind them, a change or not,
   * fails with {@link PowerOffException}, and all after it.
   *
   * @param count number of operations that {@linkplain FileOperation.Kind#isChange() change}
   *     something and are still done, 0 or more
   */
  public synchronized void powerOffAfter(long count) {
    changesLeft = count;
  }

  /** Turns the power off. */
  public void powerOff() {
    powerOffAfter(0);
  }

  /** Shows every operation to a test before it is done, also those that fail. */
  public synchronized void observe(Consumer<FileOperation> newObserver) {
    observer = newObserver;
  }

  /** The number of changes that were begun so far. */
  public synchronized long changes() {
    return changes;
  }

  /** Forgets all rules; gates are opened. Power that is off stays off. */
  public synchronized void clear() {
    rules.clear();
    holds.forEach(hold -> hold.gate().open());
    holds.clear();
    transfers = null;
    observer = operation -> {};
  }

  void awaitGates(FileOperation operation) throws IOException {
    for (FileGate gate : gatesOf(operation)) {
      gate.pass();
    }
  }

  private synchronized List<FileGate> gatesOf(FileOperation operation) {
    return holds.stream().filter(hold -> hold.matches().test(operation)).map(Hold::gate).toList();
  }

  /** Begins an operation; returns how it fails, or null. */
  synchronized @Nullable Failure begin(FileOperation operation) throws PowerOffException {
    observer.accept(operation);
    if (changesLeft == 0) {
      throw new PowerOffException(operation.toString());
    }
    if (operation.kind().isChange()) {
      changes++;
      if (changesLeft != NEVER) {
        changesLeft--;
      }
    }
    for (Rule rule : rules) {
      if (rule.takes(operation)) {
        return new Failure(rule.cause.apply(operation), rule.bytesBefore);
      }
    }
    return null;
  }

  /** Whether the power is off. */
  public synchronized boolean isPowerOff() {
    return changesLeft == 0;
  }

  /** How many of some bytes are moved at once. */
  synchronized int transferred(int asked) {
    SplittableRandom random = transfers;
    return random == null || asked <= 1 ? asked : 1 + random.nextInt(asked);
  }
}
