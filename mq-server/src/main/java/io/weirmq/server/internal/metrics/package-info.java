/**
 * What the broker tells of itself by JMX. What Kafka counts with Yammer's library ({@code
 * kafka.log}, {@code kafka.server:type=ReplicaManager} and so on) has the names and attributes that
 * Kafka's dashboards ask for. What Kafka counts with its own ({@code
 * kafka.server:type=socket-server-metrics}, where one bean has an attribute per metric and network
 * thread) has Kafka's domain, type and words here, but a bean per metric with the attribute {@code
 * Value}, like all others.
 *
 * <p>{@link io.weirmq.server.internal.metrics.BrokerMetrics} owns the registry of one broker. Who
 * has something to tell takes it in a constructor and registers once, at start:
 *
 * <pre>{@code
 * metrics.gauge(MetricName.of("kafka.log", "LogManager", "OfflineLogDirectoryCount"), folders::offlineCount);
 * metrics.gauge(
 *     MetricName.of("kafka.log", "LogCleanerManager", "uncleanable-partitions-count")
 *         .with("logDirectory", folder.toString()),
 *     () -> cleaner.uncleanableCount(folder));
 * Meter failed = metrics.meter(MetricName.of("kafka.server", "BrokerTopicMetrics", "FailedProduceRequestsPerSec"));
 * }</pre>
 *
 * <p>A gauge is read when somebody asks for it, on the thread of whoever asks: its supplier must
 * not block. Nothing is registered per partition, so that partitions at rest cost nothing here; a
 * sum over partitions is a gauge that adds up when it is read.
 *
 * <p>Several brokers in one JVM: the one that starts first has the plain names, as a broker alone
 * in its process does. Names of the others end in {@code broker=<id>}, or {@code broker=<id>-2} and
 * so on where that is taken, too. Closing a broker takes its names away; nobody else's change.
 */
@NullMarked
package io.weirmq.server.internal.metrics;

import org.jspecify.annotations.NullMarked;
