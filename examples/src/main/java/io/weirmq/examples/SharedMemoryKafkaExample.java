package io.weirmq.examples;

import io.weirmq.client.kafka.WeirClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A program with Kafka's own clients that goes through shared memory where the broker runs on the
 * same host. Against the same program over TCP these lines differ, and none is required to but the
 * two constructors:
 *
 * <pre>{@code
 * +  import io.weirmq.client.kafka.WeirClients;
 * +  properties.put("transport", "auto");                      // the default
 * -  new KafkaProducer<>(properties)
 * +  WeirClients.producer(properties)
 * -  new KafkaConsumer<>(properties)
 * +  WeirClients.consumer(properties)
 * }</pre>
 *
 * <p>{@code java -cp 'examples/target/classes:examples/target/lib/*'
 * io.weirmq.examples.SharedMemoryKafkaExample localhost:9092} runs it, once the module is packaged,
 * against {@code ./mq server}, or against any Kafka broker, to which it goes over TCP.
 */
public final class SharedMemoryKafkaExample {

  private static final String TOPIC = "greetings";

  private SharedMemoryKafkaExample() {}

  /**
   * Sends three records to the broker of the first argument, {@code localhost:9092} without one,
   * and prints what it reads back.
   */
  public static void main(String[] args) throws Exception {
    System.out.println(sendAndRead(args.length == 0 ? "localhost:9092" : args[0], "auto"));
  }

  /** Sends three records and returns the values read from the offset of the first. */
  static List<String> sendAndRead(String bootstrapServers, String transport) throws Exception {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", bootstrapServers);
    properties.put("transport", transport);
    properties.put("key.serializer", StringSerializer.class);
    properties.put("value.serializer", StringSerializer.class);
    properties.put("key.deserializer", StringDeserializer.class);
    properties.put("value.deserializer", StringDeserializer.class);

    long first;
    try (KafkaProducer<String, String> producer = WeirClients.producer(properties)) {
      first = producer.send(new ProducerRecord<>(TOPIC, 0, "k", "hello")).get().offset();
      producer.send(new ProducerRecord<>(TOPIC, 0, "k", "shared")).get();
      producer.send(new ProducerRecord<>(TOPIC, 0, "k", "memory")).get();
    }

    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer = WeirClients.consumer(properties)) {
      TopicPartition partition = new TopicPartition(TOPIC, 0);
      consumer.assign(List.of(partition));
      consumer.seek(partition, first);
      while (values.size() < 3) {
        consumer.poll(Duration.ofSeconds(1)).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }
}
