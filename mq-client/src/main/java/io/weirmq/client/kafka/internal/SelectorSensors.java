package io.weirmq.client.kafka.internal;

import java.util.function.IntSupplier;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Sensor;
import org.jspecify.annotations.Nullable;

/**
 * The sensors of Kafka's Selector, so that its metrics count what goes through shared memory as
 * well: connections, requests, bytes. Those of single nodes ({@code *-node-metrics}) are left to
 * TCP.
 *
 * <p>Confined to the polling thread.
 */
public final class SelectorSensors {

  private static final String CONNECTION_COUNT = "connection-count";

  private final Metrics metrics;
  private final @Nullable Sensor connectionsCreated;
  private final @Nullable Sensor connectionsClosed;
  private final @Nullable Sensor requestsSent;
  private final @Nullable Sensor bytesSent;
  private final @Nullable Sensor responsesReceived;
  private final @Nullable Sensor bytesReceived;

  /** Finds the sensors; those that a version of Kafka names otherwise are left out. */
  public SelectorSensors(Metrics metrics) {
    this.metrics = metrics;
    this.connectionsCreated = metrics.getSensor("connections-created:");
    this.connectionsClosed = metrics.getSensor("connections-closed:");
    this.requestsSent = metrics.getSensor("requests-sent:");
    this.bytesSent = metrics.getSensor("bytes-sent:");
    this.responsesReceived = metrics.getSensor("responses-received:");
    this.bytesReceived = metrics.getSensor("bytes-received:");
  }

  /** Has the number of connections be the one of a supplier, read by any thread. */
  void countConnections(IntSupplier connections) {
    for (MetricName name : metrics.metrics().keySet()) {
      if (name.name().equals(CONNECTION_COUNT) && name.tags().size() <= 1) {
        metrics.removeMetric(name);
        metrics.addMetric(name, (Measurable) (config, now) -> connections.getAsInt());
        return;
      }
    }
  }

  void connected() {
    record(connectionsCreated, 1);
  }

  void disconnected() {
    record(connectionsClosed, 1);
  }

  void sent(long bytes) {
    record(bytesSent, bytes);
    record(requestsSent, bytes);
  }

  void received(long bytes) {
    record(bytesReceived, bytes);
    record(responsesReceived, bytes);
  }

  private static void record(@Nullable Sensor sensor, long value) {
    if (sensor != null) {
      sensor.record((double) value);
    }
  }
}
