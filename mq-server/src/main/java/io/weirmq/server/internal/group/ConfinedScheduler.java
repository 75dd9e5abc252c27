package io.weirmq.server.internal.group;

import io.weirmq.server.internal.schedule.Scheduler;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A scheduler whose tasks run on the coordinator's thread. Safe for use by several threads.
 *
 * <p>A task that was called off on the coordinator's thread does not run any more, also where it
 * was on its way from the timer's thread already.
 */
final class ConfinedScheduler implements Scheduler {

  private static final Logger LOG = LoggerFactory.getLogger(ConfinedScheduler.class);

  private final Scheduler timer;
  private final Executor coordinator;

  /**
   * Makes a scheduler.
   *
   * @param timer tells when the time has come
   * @param coordinator runs the tasks
   */
  ConfinedScheduler(Scheduler timer, Executor coordinator) {
    this.timer = timer;
    this.coordinator = coordinator;
  }

  @Override
  public Scheduled schedule(long delayMs, Runnable task) {
    AtomicBoolean cancelled = new AtomicBoolean();
    Runnable unlessCancelled =
        () -> {
          if (!cancelled.get()) {
            runLogged(task);
          }
        };
    Scheduled waiting = timer.schedule(delayMs, () -> coordinator.execute(unlessCancelled));
    return () -> {
      cancelled.set(true);
      waiting.cancel();
    };
  }

  private static void runLogged(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("A timed task of the group coordinator failed", e);
    }
  }
}
