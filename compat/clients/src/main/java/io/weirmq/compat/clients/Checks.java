package io.weirmq.compat.clients;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.ApiException;

/** Assertions that say what was expected and what was found. */
final class Checks {
  private Checks() {}

  static void that(boolean holds, String expected, Object... arguments) {
    if (!holds) {
      throw new AssertionError("expected: " + String.format(expected, arguments));
    }
  }

  static void equal(Object expected, Object found, String what) {
    boolean same =
        expected instanceof byte[] bytes
            ? found instanceof byte[] other && Arrays.equals(bytes, other)
            : Objects.equals(expected, found);
    if (!same) {
      throw new AssertionError(what + ": expected " + show(expected) + ", found " + show(found));
    }
  }

  private static String show(Object value) {
    return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "" + value;
  }

  /** The result of a future, within the time that a case may wait. */
  static <T> T get(KafkaFuture<T> future) throws Exception {
    try {
      return future.get(Cluster.WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /**
   * Repeats a check until it passes, for changes that a cluster answers before they are visible
   * everywhere; after ten seconds its last failure counts.
   */
  static void eventually(Call check) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (true) {
      try {
        check.run();
        return;
      } catch (AssertionError | ApiException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
        Thread.sleep(20);
      }
    }
  }

  /** Runs a call that must fail, with exactly this class or one of its subclasses. */
  static void fails(Class<? extends Throwable> expected, Call call) {
    try {
      call.run();
    } catch (Throwable thrown) {
      Throwable cause = thrown instanceof ExecutionException ? thrown.getCause() : thrown;
      that(expected.isInstance(cause), "failure %s, found %s", expected.getSimpleName(), cause);
      return;
    }
    throw new AssertionError("expected failure " + expected.getSimpleName() + ", found success");
  }

  /** Something that may throw. */
  @FunctionalInterface
  interface Call {
    void run() throws Exception;
  }
}
