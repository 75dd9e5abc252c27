package io.weirmq.client.kafka.internal;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.Selectable;
import org.jspecify.annotations.Nullable;

/**
 * Where one of Kafka's clients holds its network: the one place that depends on what Kafka does not
 * promise.
 *
 * <p>A client leads to its {@code NetworkClient} through fields, which are found by their type and
 * not by name; that holds its {@code Selectable}, a public interface, in a final field. The field
 * is set by reflection, see {@code docs/adr/0017-kafka-clients-over-any-transport.md}. Confined to
 * one thread.
 */
public final class KafkaInternals {

  private static final String CLIENTS = "org.apache.kafka.clients.";
  private static final String CONSUMERS = CLIENTS + "consumer.internals.";
  private static final String KAFKA_CLIENT = CLIENTS + "KafkaClient";
  private static final String METRICS = "org.apache.kafka.common.metrics.Metrics";
  private static final String SELECTABLE = "org.apache.kafka.common.network.Selectable";

  /** Versions of kafka-clients that are tested. */
  public static final String KNOWN_VERSIONS = "4.3.1 and 4.4.0";

  private final Object networkClient;
  private final Metrics metrics;

  private KafkaInternals(Object networkClient, Object metrics) {
    this.networkClient = networkClient;
    this.metrics = (Metrics) metrics;
  }

  /** Looks into a producer. */
  public static KafkaInternals ofProducer(KafkaProducer<?, ?> producer) {
    Object sender = follow(producer, CLIENTS + "producer.internals.Sender");
    return new KafkaInternals(follow(sender, KAFKA_CLIENT), follow(producer, METRICS));
  }

  /** Looks into a consumer of either group protocol. */
  public static KafkaInternals ofConsumer(KafkaConsumer<?, ?> consumer) {
    Object delegate = follow(consumer, CONSUMERS + "ConsumerDelegate");
    Object holder;
    if (field(delegate.getClass(), CONSUMERS + "ConsumerNetworkClient") != null) {
      holder = follow(delegate, CONSUMERS + "ConsumerNetworkClient");
    } else {
      Object handler = follow(delegate, CONSUMERS + "events.ApplicationEventHandler");
      Object thread = follow(handler, CONSUMERS + "ConsumerNetworkThread");
      holder = follow(thread, CONSUMERS + "NetworkClientDelegate");
    }
    return new KafkaInternals(follow(holder, KAFKA_CLIENT), follow(delegate, METRICS));
  }

  /** Looks into an admin client. */
  public static KafkaInternals ofAdmin(Admin admin) {
    return new KafkaInternals(follow(admin, KAFKA_CLIENT), follow(admin, METRICS));
  }

  /** The client's metrics. */
  public Metrics metrics() {
    return metrics;
  }

  /**
   * Puts another network in the place of the one that is there. The client's thread may be using
   * that one at the moment; it sees the new one at its next call.
   *
   * @param replacement makes the new one of the old one
   */
  public void replaceSelector(UnaryOperator<Selectable> replacement) {
    Field field = field(networkClient.getClass(), SELECTABLE);
    if (field == null) {
      throw misfit(networkClient.getClass(), SELECTABLE);
    }
    try {
      Selectable replaced = replacement.apply((Selectable) field.get(networkClient));
      // All that the new one consists of is visible before the reference to it.
      VarHandle.fullFence();
      field.set(networkClient, replaced);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(
          "this Java forbids to set %s, which transports other than TCP need; start it with"
                  .formatted(field)
              + " --enable-final-field-mutation=ALL-UNNAMED, or set transport=tcp",
          e);
    }
  }

  private static Object follow(Object from, String type) {
    Field field = field(from.getClass(), type);
    if (field == null) {
      throw misfit(from.getClass(), type);
    }
    try {
      Object value = field.get(from);
      if (value == null) {
        throw misfit(from.getClass(), type + " that is set");
      }
      return value;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(misfitText(from.getClass(), type), e);
    }
  }

  private static @Nullable Field field(Class<?> of, String type) {
    for (Class<?> c = of; c != null; c = c.getSuperclass()) {
      for (Field field : c.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && field.getType().getName().equals(type)) {
          try {
            field.setAccessible(true);
          } catch (InaccessibleObjectException e) {
            throw new IllegalStateException(
                misfitText(of, type + " that is open to reflection"), e);
          }
          return field;
        }
      }
    }
    return null;
  }

  private static IllegalStateException misfit(Class<?> where, String what) {
    return new IllegalStateException(misfitText(where, what));
  }

  private static String misfitText(Class<?> where, String what) {
    return ("kafka-clients %s does not fit: %s has no field of type %s; known to fit are %s. Use one"
            + " of these, or set transport=tcp")
        .formatted(version(), where.getName(), what, KNOWN_VERSIONS);
  }

  private static String version() {
    try (InputStream stream =
        KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
      if (stream == null) {
        return "of unknown version";
      }
      Properties properties = new Properties();
      properties.load(stream);
      return properties.getProperty("version", "of unknown version");
    } catch (IOException e) {
      return "of unknown version";
    }
  }
}
