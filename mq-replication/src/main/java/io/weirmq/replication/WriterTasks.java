package io.weirmq.replication;

import io.weirmq.storage.RejectedAppendException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one task per partition on the writers' threads, a bounded number at a time, so that work
 * over all partitions never fills the pipelines that clients wait for.
 */
final class WriterTasks {

  private static final Logger LOG = LoggerFactory.getLogger(WriterTasks.class);

  /** Tasks that are queued in the pipelines at a time. */
  private static final int IN_FLIGHT_MAX = 64;

  /** Attempts for a task that finds its pipeline full. */
  private static final int ATTEMPTS_MAX = 10;

  private WriterTasks() {}

  /** Runs a task for each partition and returns when all have ended; failures are logged. */
  static void runAll(
      String name, List<Partition> partitions, Function<Partition, CompletableFuture<?>> task) {
    for (int first = 0; first < partitions.size(); first += IN_FLIGHT_MAX) {
      List<Partition> some =
          partitions.subList(first, Math.min(partitions.size(), first + IN_FLIGHT_MAX));
      for (int attempt = 1; !some.isEmpty() && attempt <= ATTEMPTS_MAX; attempt++) {
        some = runOnce(name, some, task);
      }
      for (Partition partition : some) {
        LOG.warn("{} of {} given up: its pipeline stays full", name, partition);
      }
    }
  }

  /** Returns those whose pipeline had no room. */
  private static List<Partition> runOnce(
      String name, List<Partition> partitions, Function<Partition, CompletableFuture<?>> task) {
    List<CompletableFuture<?>> futures = new ArrayList<>(partitions.size());
    partitions.forEach(partition -> futures.add(task.apply(partition)));
    List<Partition> rejected = new ArrayList<>();
    for (int i = 0; i < futures.size(); i++) {
      Partition partition = partitions.get(i);
      if (!await(name, futures.get(i)) && !partition.isClosed()) {
        rejected.add(partition);
      }
    }
    return rejected;
  }

  /** Waits for a task and logs its failure; returns false where the pipeline had no room for it. */
  static boolean await(String name, CompletableFuture<?> future) {
    try {
      future.join();
    } catch (CompletionException e) {
      if (isRejected(e)) {
        return false;
      }
      LOG.error("{} failed", name, e);
    }
    return true;
  }

  /** Whether a task failed because its pipeline had no room at that moment. */
  static boolean isRejected(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof RejectedAppendException rejected && rejected.isFull();
  }
}
