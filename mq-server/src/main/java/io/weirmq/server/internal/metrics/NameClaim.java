package io.weirmq.server.internal.metrics;

import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Which names a broker may use among the brokers of a JVM. A bean of a fixed name says that the
 * plain ones are taken; registering it either succeeds or finds it there, so that brokers that
 * start at once agree.
 */
final class NameClaim {

  private static final String BEAN = "io.weirmq:type=MetricNames";

  /** Far above what anybody starts in one JVM. */
  private static final int SAME_ID_BROKERS_MAX = 10_000;

  /** What the bean tells; JMX wants the interface to be public and named like this. */
  public interface HolderMBean {
    /** Id of the broker whose metrics have these names. */
    int getBrokerId();
  }

  private record Holder(int brokerId) implements HolderMBean {
    @Override
    public int getBrokerId() {
      return brokerId;
    }
  }

  private final MBeanServer server;
  private final ObjectName bean;
  private final String suffix;

  private NameClaim(MBeanServer server, ObjectName bean, String suffix) {
    this.server = server;
    this.bean = bean;
    this.suffix = suffix;
  }

  static NameClaim take(MBeanServer server, int brokerId) throws JMException {
    Holder holder = new Holder(brokerId);
    for (int attempt = 0; attempt < SAME_ID_BROKERS_MAX; attempt++) {
      String suffix = suffix(attempt, brokerId);
      ObjectName bean = new ObjectName(BEAN + suffix);
      try {
        server.registerMBean(new javax.management.StandardMBean(holder, HolderMBean.class), bean);
        return new NameClaim(server, bean, suffix);
      } catch (InstanceAlreadyExistsException e) {
        // The next suffix, then.
      }
    }
    throw new IllegalStateException(
        "%d brokers of id %d in this JVM have metrics already"
            .formatted(SAME_ID_BROKERS_MAX - 1, brokerId));
  }

  private static String suffix(int attempt, int brokerId) {
    return switch (attempt) {
      case 0 -> "";
      case 1 -> ",broker=" + brokerId;
      default -> ",broker=" + brokerId + "-" + attempt;
    };
  }

  /** What the broker's names end in; empty for the plain names. */
  String suffix() {
    return suffix;
  }

  void giveBack() throws JMException {
    server.unregisterMBean(bean);
  }
}
