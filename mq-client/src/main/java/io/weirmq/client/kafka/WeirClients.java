package io.weirmq.client.kafka;

import io.weirmq.client.kafka.internal.KafkaInternals;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Makes Kafka's clients over the transports of this project. Stateless.
 *
 * <p>Each method takes what the constructor of Kafka's class takes, and the properties of {@link
 * TransportConfig} among it. The client that comes back owns its transport: closing it ends the
 * threads and gives the memory back. Nothing is shared between two clients.
 *
 * <p>All methods throw, before anything stays open:
 *
 * <ul>
 *   <li>{@link ConfigException} where a property of {@link TransportConfig} is malformed, or {@code
 *       transport=shm} can't be had whatever the broker does
 *   <li>{@link KafkaException} where Kafka's constructor does
 *   <li>{@link IllegalStateException} where the version of kafka-clients on the class path does not
 *       fit; the message names it, what is missing, and the versions that do
 * </ul>
 */
public final class WeirClients {

  private WeirClients() {}

  /** Returns a producer; as {@link KafkaProducer#KafkaProducer(Properties)}. */
  public static <K, V> KafkaProducer<K, V> producer(Properties properties) {
    return producer(toMap(properties), null, null);
  }

  /** Returns a producer; as {@link KafkaProducer#KafkaProducer(Map)}. */
  public static <K, V> KafkaProducer<K, V> producer(Map<String, Object> configs) {
    return producer(configs, null, null);
  }

  /** Returns a producer; as {@link KafkaProducer#KafkaProducer(Map, Serializer, Serializer)}. */
  public static <K, V> KafkaProducer<K, V> producer(
      Map<String, Object> configs,
      @Nullable Serializer<K> keySerializer,
      @Nullable Serializer<V> valueSerializer) {
    return LocalClients.make(
        configs,
        kafkas -> new KafkaProducer<>(kafkas, keySerializer, valueSerializer),
        KafkaInternals::ofProducer);
  }

  /**
   * Returns a consumer, of the classic or of the consumer group protocol as {@code group.protocol}
   * says; as {@link KafkaConsumer#KafkaConsumer(Properties)}.
   */
  public static <K, V> KafkaConsumer<K, V> consumer(Properties properties) {
    return consumer(toMap(properties), null, null);
  }

  /** Returns a consumer; as {@link KafkaConsumer#KafkaConsumer(Map)}. */
  public static <K, V> KafkaConsumer<K, V> consumer(Map<String, Object> configs) {
    return consumer(configs, null, null);
  }

  /**
   * Returns a consumer; as {@link KafkaConsumer#KafkaConsumer(Map, Deserializer, Deserializer)}.
   */
  public static <K, V> KafkaConsumer<K, V> consumer(
      Map<String, Object> configs,
      @Nullable Deserializer<K> keyDeserializer,
      @Nullable Deserializer<V> valueDeserializer) {
    return LocalClients.make(
        configs,
        kafkas -> new KafkaConsumer<>(kafkas, keyDeserializer, valueDeserializer),
        KafkaInternals::ofConsumer);
  }

  /** Returns an admin client; as {@link Admin#create(Properties)}. */
  public static Admin admin(Properties properties) {
    return admin(toMap(properties));
  }

  /** Returns an admin client; as {@link Admin#create(Map)}. */
  public static Admin admin(Map<String, Object> configs) {
    return LocalClients.make(configs, Admin::create, KafkaInternals::ofAdmin);
  }

  private static Map<String, Object> toMap(Properties properties) {
    Map<String, Object> map = new HashMap<>();
    // Names, not entries: properties can have defaults behind them, which Kafka respects too.
    for (String name : properties.stringPropertyNames()) {
      map.put(name, properties.getProperty(name));
    }
    properties.forEach((name, value) -> map.put(String.valueOf(name), value));
    return map;
  }
}
