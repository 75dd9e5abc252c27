package io.weirmq.server.internal.broker;

import io.weirmq.replication.HostedPartitions;
import io.weirmq.server.internal.metrics.BrokerMetrics;
import io.weirmq.server.internal.metrics.MetricName;
import java.nio.file.Path;

/** What is told of partitions and data folders. Each sum is added up when it is asked for. */
final class StorageMetrics {

  private StorageMetrics() {}

  private static void offline(BrokerMetrics metrics, Path folder, int value) {
    metrics.gauge(
        MetricName.of("kafka.log", "LogManager", "LogDirectoryOffline")
            .with("logDirectory", folder.toAbsolutePath().toString()),
        () -> value);
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
    partitions.directories().forEach(folder -> offline(metrics, folder.path(), 0));
    partitions.offlineFolders().forEach(folder -> offline(metrics, folder.path(), 1));
    metrics.gauge(
        MetricName.of("io.weirmq", "Storage", "ReadOnlyPartitionCount"),
        () -> readOnlyCount(partitions));
  }
}
