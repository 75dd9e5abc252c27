package io.weirmq.server.internal.broker;

import io.weirmq.replication.Maintenance;
import io.weirmq.server.config.StorageSettings;
import io.weirmq.server.internal.schedule.Scheduler;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * What has to be done now and then: retention, timed flushes, rest for idle logs, checkpoints,
 * expiry of producers, failed folders, removal of deleted files. Safe for use by several threads.
 *
 * <p>The scheduler says when, a thread of its own does it. The next run is planned when one has
 * ended, so that a slow disk never piles them up.
 */
public final class Upkeep implements AutoCloseable {

  /** How often logs that get no appends are looked at for their {@code flush.ms}. */
  private static final Duration FLUSH_CHECK_INTERVAL = Duration.ofSeconds(1);

  /** How long a folder that has failed may be in use, and a log that could not be made wait. */
  private static final Duration FOLDER_CHECK_INTERVAL = Duration.ofSeconds(1);

  /** How often some of the logs that get no appends are put to rest. */
  private static final Duration REST_INTERVAL = Duration.ofSeconds(1);

  private final Scheduler scheduler;
  private final Executor thread;
  private volatile boolean closed;

  private Upkeep(Scheduler scheduler, Executor thread) {
    this.scheduler = scheduler;
    this.thread = thread;
  }

  /**
   * Begins.
   *
   * @param folders looks whether folders have failed
   * @param thread runs the tasks, which block
   * @param wall time of day, by which retention is measured
   */
  public static Upkeep start(
      StorageSettings settings,
      Maintenance maintenance,
      FolderWatch folders,
      Scheduler scheduler,
      Executor thread,
      InstantSource wall) {
    Upkeep upkeep = new Upkeep(scheduler, thread);
    upkeep.repeat(
        settings.retentionCheckInterval(), () -> maintenance.applyRetention(wall.millis()));
    upkeep.repeat(
        settings.producerExpiryCheckInterval(), () -> maintenance.expireProducers(wall.millis()));
    upkeep.repeat(settings.checkpointInterval(), maintenance::writeCheckpoints);
    upkeep.repeat(FLUSH_CHECK_INTERVAL, () -> maintenance.flushDue(wall.millis()));
    upkeep.repeat(FOLDER_CHECK_INTERVAL, folders::look);
    upkeep.repeat(REST_INTERVAL, () -> maintenance.restIdle(wall.millis()));
    upkeep.repeat(Duration.ofSeconds(10), () -> maintenance.purgeDeleted(wall.millis()));
    return upkeep;
  }

  /** Runs a task again and again on the upkeep's thread, at first after the interval. */
  void repeat(Duration interval, Runnable task) {
    scheduler.schedule(interval.toMillis(), () -> handOver(interval, task));
  }

  private void handOver(Duration interval, Runnable task) {
    if (closed) {
      return;
    }
    try {
      thread.execute(
          () -> {
            try {
              task.run();
            } finally {
              repeat(interval, task);
            }
          });
    } catch (RejectedExecutionException e) {
      if (!closed) {
        throw e;
      }
    }
  }

  /** Plans nothing more; a task under way goes on. */
  @Override
  public void close() {
    closed = true;
  }
}
