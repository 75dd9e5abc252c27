package io.weirmq.server.internal.broker;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes note of the end of a thread that the broker can't do without. The first one counts: the
 * broker is down from then on. Safe for use by several threads.
 */
public final class FatalErrors implements Thread.UncaughtExceptionHandler {

  private static final Logger LOG = LoggerFactory.getLogger(FatalErrors.class);

  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();
  private final CompletableFuture<Throwable> happened = new CompletableFuture<>();

  /** Makes a record of none. */
  public FatalErrors() {}

  /**
   * Takes note.
   *
   * @param component names the thread or part
   */
  public void report(String component, Throwable error) {
    LOG.error("{} has ended by a fatal error; the broker is down", component, error);
    if (first.compareAndSet(null, error)) {
      happened.complete(error);
    }
  }

  @Override
  public void uncaughtException(Thread thread, Throwable error) {
    report("thread " + thread.getName(), error);
  }

  /** The first fatal error; empty where all is well. */
  public Optional<Throwable> first() {
    return Optional.ofNullable(first.get());
  }

  /** Completes with the first fatal error; never, where there is none. */
  public CompletionStage<Throwable> happened() {
    return happened;
  }
}
