package io.weirmq.server.internal.broker;

import io.weirmq.replication.LogCleaning;
import io.weirmq.server.config.CleanerSettings;
import io.weirmq.server.internal.metrics.BrokerMetrics;
import io.weirmq.server.internal.metrics.MetricName;
import io.weirmq.storage.LogCleaner;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.PartitionLog;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Puts the parts of compaction together and tells what they do. */
final class Compaction {

  private static final String MANAGER = "LogCleanerManager";
  private static final String CLEANER = "LogCleaner";
  private static final double PERCENT = 100;

  private Compaction() {}

  /** Starts the threads; to be closed before the storage. */
  static CleanerThreads start(
      CleanerSettings settings,
      Storage storage,
      BrokerThreads threads,
      BrokerMetrics metrics,
      InstantSource wall,
      LongSupplier nanoClock) {
    SecureRandom random = new SecureRandom();
    LogCleaner cleaner =
        new LogCleaner(
            settings.options(), wall, nanoClock, TimeUnit.NANOSECONDS::sleep, random::nextLong);
    LogCleaning cleaning = new LogCleaning(storage.partitions()::all, cleaner, wall);
    CleanerThreads started = CleanerThreads.start(settings, cleaning, threads.named("mq-cleaner"));
    register(metrics, storage.partitions().directories(), cleaner, cleaning, started, wall);
    return started;
  }

  private static void register(
      BrokerMetrics metrics,
      List<LogDirectory> directories,
      LogCleaner cleaner,
      LogCleaning cleaning,
      CleanerThreads threads,
      InstantSource wall) {
    for (LogDirectory directory : directories) {
      String folder = directory.path().toString();
      metrics.gauge(
          name(MANAGER, "uncleanable-partitions-count").with("logDirectory", folder),
          () -> uncleanable(cleaning, directory).count());
      metrics.gauge(
          name(MANAGER, "uncleanable-bytes").with("logDirectory", folder),
          () -> uncleanable(cleaning, directory).mapToLong(cleaning::uncleanableBytes).sum());
    }
    metrics.gauge(
        name(MANAGER, "max-dirty-percent"),
        () -> (int) (PERCENT * cleaning.status().maxDirtyRatio()));
    metrics.gauge(
        name(MANAGER, "time-since-last-run-ms"),
        () -> Math.max(0, wall.millis() - cleaning.status().lastLookMs()));
    metrics.gauge(
        name(CLEANER, "cleaner-recopy-percent"),
        () -> (int) (PERCENT * cleaning.status().lastRecopyRatio()));
    metrics.gauge(
        name(CLEANER, "max-clean-time-secs"),
        () -> (int) TimeUnit.MILLISECONDS.toSeconds(cleaning.status().lastRunMs()));
    metrics.gauge(
        name(CLEANER, "max-buffer-utilization-percent"),
        () -> (int) (PERCENT * cleaning.status().lastMapShare()));
    metrics.gauge(name(CLEANER, "DeadThreadCount"), threads::deadCount);
    metrics.gauge(name(CLEANER, "bytes-read"), cleaner::bytesRead);
    metrics.gauge(name(CLEANER, "bytes-written"), cleaner::bytesWritten);
    metrics.gauge(name(CLEANER, "runs"), () -> cleaning.status().runs());
  }

  private static MetricName name(String type, String name) {
    return MetricName.of("kafka.log", type, name);
  }

  private static Stream<PartitionLog> uncleanable(LogCleaning cleaning, LogDirectory directory) {
    return cleaning.uncleanable().stream()
        .filter(
            log -> directory.log(log.topicPartition()).filter(found -> found == log).isPresent());
  }
}
