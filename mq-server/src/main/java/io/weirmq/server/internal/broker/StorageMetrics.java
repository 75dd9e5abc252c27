package io.weirmq.server.internal.broker;

import io.weirmq.replication.HostedPartitions;
import io.weirmq.server.internal.metrics.BrokerMetrics;
import io.weirmq.server.internal.metrics.MetricName;
import java.nio.file.Path;

/** What is told of partitions and data folders. Each sum is added up when it is asked for. */
final class StorageMetrics {

  private StorageMetrics() {}

  private static void folder(BrokerMetrics metrics, HostedPartitions partitions, Path folder) {
    metrics.gauge(
        MetricName.of("kafka.log", "LogManager", "LogDirectoryOffline")
            .with("logDirectory", folder.toAbsolutePath().toString()),
        () -> isOffline(partitions, folder) ? 1 : 0);
  }

  private static boolean isOffline(HostedPartitions partitions, Path folder) {
    return partitions.offlineFolders().stream().anyMatch(each -> each.path().equals(folder));
  }

  private static long readOnlyCount(HostedPartitions partitions) {
    return partitions.all().stream().filter(partition -> !partition.log().isWritable()).count();
  }

  static void register(BrokerMetrics metrics, Storage storage) {
    HostedPartitions partitions = storage.partitions();
    metrics.gauge(
        MetricName.of("kafka.server", "ReplicaManager", "PartitionCount"),
        () -> partitions.all().size());
    metrics.gauge(
        MetricName.of("kafka.server", "ReplicaManager", "OfflineReplicaCount"),
        partitions::offlineCount);
    metrics.gauge(
        MetricName.of("kafka.log", "LogManager", "OfflineLogDirectoryCount"),
        () -> partitions.offlineFolders().size());
    partitions.directories().forEach(each -> folder(metrics, partitions, each.path()));
    partitions.offlineFolders().forEach(each -> folder(metrics, partitions, each.path()));
    metrics.gauge(
        MetricName.of("io.weirmq", "Storage", "ReadOnlyPartitionCount"),
        () -> readOnlyCount(partitions));
  }
}
