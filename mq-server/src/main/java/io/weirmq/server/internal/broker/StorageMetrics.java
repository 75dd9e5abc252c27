package io.weirmq.server.internal.broker;

import io.weirmq.replication.HostedPartitions;
import io.weirmq.server.internal.metrics.BrokerMetrics;
import io.weirmq.server.internal.metrics.MetricName;

/** What is told of partitions and data folders. Each sum is added up when it is asked for. */
final class StorageMetrics {

  private StorageMetrics() {}

  static void register(BrokerMetrics metrics, Storage storage) {
    HostedPartitions partitions = storage.partitions();
    metrics.gauge(
        MetricName.of("kafka.server", "ReplicaManager", "PartitionCount"),
        () -> partitions.all().size());
    metrics.gauge(
        MetricName.of("kafka.server", "ReplicaManager", "OfflineReplicaCount"),
        partitions::offlineCount);
  }
}
