package io.weirmq.server.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class BrokerMetricsTest {

  private static final MetricName OFFLINE =
      MetricName.of("kafka.log", "LogManager", "OfflineLogDirectoryCount");
  private static final String PLAIN = "kafka.log:type=LogManager,name=OfflineLogDirectoryCount";

  private final MBeanServer server = MBeanServerFactory.newMBeanServer();

  @Test
  void showsWhatAGaugeTellsAtTheMomentItIsAsked() throws Exception {
    AtomicInteger count = new AtomicInteger(1);
    try (BrokerMetrics metrics = BrokerMetrics.open(0, server)) {
      metrics.gauge(OFFLINE, count::get);

      assertThat(value(PLAIN)).isEqualTo(1);
      count.set(2);
      assertThat(value(PLAIN)).isEqualTo(2);
    }
  }

  @Test
  void countsAndMetersByTheAttributesOfKafka() throws Exception {
    try (BrokerMetrics metrics = BrokerMetrics.open(0, server)) {
      metrics.meter(MetricName.of("kafka.server", "BrokerTopicMetrics", "X")).mark(3);
      metrics.counter(MetricName.of("kafka.server", "BrokerTopicMetrics", "Y")).inc(4);

      ObjectName meter = new ObjectName("kafka.server:type=BrokerTopicMetrics,name=X");
      assertThat(server.getAttribute(meter, "Count")).isEqualTo(3L);
      assertThat(server.getAttribute(meter, "OneMinuteRate")).isInstanceOf(Double.class);
      assertThat(
              server.getAttribute(
                  new ObjectName("kafka.server:type=BrokerTopicMetrics,name=Y"), "Count"))
          .isEqualTo(4L);
    }
  }

  @Test
  void quotesValuesWithCharactersThatMeanSomething() throws Exception {
    try (BrokerMetrics metrics = BrokerMetrics.open(0, server)) {
      metrics.gauge(
          MetricName.of("kafka.log", "LogManager", "LogDirectoryOffline")
              .with("logDirectory", "/data/a,b"),
          () -> 1);

      assertThat(
              value(
                  "kafka.log:type=LogManager,name=LogDirectoryOffline,logDirectory=\"/data/a,b\""))
          .isEqualTo(1);
    }
  }

  @Test
  void givesThePlainNamesToTheFirstBrokerAndTellsTheOthersApart() throws Exception {
    try (BrokerMetrics first = BrokerMetrics.open(5, server);
        BrokerMetrics second = BrokerMetrics.open(6, server);
        BrokerMetrics sameId = BrokerMetrics.open(6, server)) {
      first.gauge(OFFLINE, () -> 10);
      second.gauge(OFFLINE, () -> 20);
      sameId.gauge(OFFLINE, () -> 30);

      assertThat(value(PLAIN)).isEqualTo(10);
      assertThat(value(PLAIN + ",broker=6")).isEqualTo(20);
      assertThat(value(PLAIN + ",broker=6-2")).isEqualTo(30);
    }
  }

  @Test
  void leavesNothingBehind() throws Exception {
    int before = server.getMBeanCount();

    BrokerMetrics metrics = BrokerMetrics.open(0, server);
    metrics.gauge(OFFLINE, () -> 1);
    metrics.close();

    assertThat(server.getMBeanCount()).isEqualTo(before);
    try (BrokerMetrics next = BrokerMetrics.open(1, server)) {
      next.gauge(OFFLINE, () -> 7);
      assertThat(value(PLAIN)).as("the plain names are free again").isEqualTo(7);
    }
  }

  @Test
  void refusesTheSameNameTwice() throws Exception {
    try (BrokerMetrics metrics = BrokerMetrics.open(0, server)) {
      metrics.gauge(OFFLINE, () -> 1);

      assertThatThrownBy(() -> metrics.gauge(OFFLINE, () -> 2))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private Object value(String name) throws Exception {
    return server.getAttribute(new ObjectName(name), "Value");
  }
}
