package io.weirmq.server.internal.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jmx.JmxReporter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * The metrics of one broker, shown by JMX from their registration until {@link #close}. Safe for
 * use by several threads; has no thread of its own.
 *
 * <p>A gauge shows the attribute {@code Value}, a counter {@code Count}, a meter {@code Count} and
 * its rates ({@code OneMinuteRate} and so on), as Kafka's do.
 */
public final class BrokerMetrics implements AutoCloseable {

  private final MetricRegistry registry = new MetricRegistry();
  private final NameClaim claim;
  private final JmxReporter reporter;

  private BrokerMetrics(MBeanServer server, NameClaim claim) {
    this.claim = claim;
    this.reporter =
        JmxReporter.forRegistry(registry)
            .registerWith(server)
            .createsObjectNamesWith((type, domain, name) -> objectName(name))
            .build();
  }

  /**
   * Opens the metrics of a broker in this JVM's MBean server.
   *
   * @throws IOException where the server refuses
   */
  public static BrokerMetrics open(int brokerId) throws IOException {
    return open(brokerId, ManagementFactory.getPlatformMBeanServer());
  }

  /**
   * Opens the metrics of a broker in an MBean server.
   *
   * @throws IOException where the server refuses
   */
  public static BrokerMetrics open(int brokerId, MBeanServer server) throws IOException {
    try {
      BrokerMetrics metrics = new BrokerMetrics(server, NameClaim.take(server, brokerId));
      metrics.reporter.start();
      return metrics;
    } catch (JMException e) {
      throw new IOException("metrics of broker %d can't be shown".formatted(brokerId), e);
    }
  }

  private ObjectName objectName(String name) {
    try {
      return new ObjectName(name + claim.suffix());
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException("no name for a metric: " + name, e);
    }
  }

  /**
   * Registers a gauge.
   *
   * @param value asked by any thread whenever somebody looks; must not block
   * @throws IllegalArgumentException where the name is taken
   */
  public <T> void gauge(MetricName name, Supplier<T> value) {
    Gauge<T> gauge = value::get;
    registry.register(name.text(), gauge);
  }

  /** Returns the meter of a name, registered where it is not yet. */
  public Meter meter(MetricName name) {
    return registry.meter(name.text());
  }

  /** Returns the counter of a name, registered where it is not yet. */
  public Counter counter(MetricName name) {
    return registry.counter(name.text());
  }

  /** Takes one metric away; does nothing where there is none of the name. */
  public void remove(MetricName name) {
    registry.remove(name.text());
  }

  /** Takes all of them away, and frees the names. */
  @Override
  public void close() throws IOException {
    reporter.close();
    try {
      claim.giveBack();
    } catch (JMException e) {
      throw new IOException("the names of the metrics can't be given back", e);
    }
  }
}
