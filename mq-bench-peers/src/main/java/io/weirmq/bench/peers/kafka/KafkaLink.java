package io.weirmq.bench.peers.kafka;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Idler;
import io.weirmq.bench.compare.worker.Link;
import io.weirmq.client.kafka.TransportConfig;
import io.weirmq.client.kafka.WeirClients;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Messages as records of a partition, by Kafka's own producer and consumer. Settings: {@code
 * bootstrap}, {@code lingerMs}, {@code batchBytes}, {@code shmFolder} where the clients are to go
 * through shared memory, and those of {@link Topics}. One way only.
 */
public final class KafkaLink implements Link {

  private static final String SHM_FOLDER = "shmFolder";
  private static final int FETCH_BYTES = 4 << 20;
  private static final long BUFFER_BYTES = 64L << 20;

  private final Receiver receiver;
  private final int partition;
  private final Duration pollTimeout;
  private final @Nullable KafkaConsumer<byte[], byte[]> consumer;
  private final @Nullable KafkaProducer<byte[], byte[]> producer;
  private volatile @Nullable Exception failure;

  /** Made by name. */
  public KafkaLink(Settings settings, Side side, Receiver receiver)
      throws ExecutionException, InterruptedException {
    this.receiver = receiver;
    this.partition = Topics.partition(settings);
    this.pollTimeout = Topics.pollTimeout(settings);
    boolean shared = settings.find(SHM_FOLDER).isPresent();
    if (side == Side.RECEIVER) {
      producer = null;
      Topics.create(settings);
      Map<String, Object> config = consumerConfig(settings);
      consumer = shared ? WeirClients.consumer(config) : new KafkaConsumer<>(config);
      List<TopicPartition> all = List.of(new TopicPartition(Topics.NAME, partition));
      consumer.assign(all);
      consumer.seekToBeginning(all);
      consumer.position(all.get(0));
    } else {
      consumer = null;
      Map<String, Object> config = producerConfig(settings);
      producer = shared ? WeirClients.producer(config) : new KafkaProducer<>(config);
      producer.partitionsFor(Topics.NAME);
    }
  }

  /** What both clients need. */
  private static Map<String, Object> config(Settings settings) {
    Map<String, Object> config = new HashMap<>();
    config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, settings.text("bootstrap"));
    settings
        .find(SHM_FOLDER)
        .ifPresent(
            folder -> {
              config.put(TransportConfig.TRANSPORT, "shm");
              config.put(TransportConfig.SHM_FOLDER, folder);
            });
    return config;
  }

  private static Map<String, Object> consumerConfig(Settings settings) {
    Map<String, Object> config = config(settings);
    config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    config.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
    config.put(ConsumerConfig.CHECK_CRCS_CONFIG, true);
    return config;
  }

  private static Map<String, Object> producerConfig(Settings settings) {
    Map<String, Object> config = config(settings);
    config.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    config.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    config.put(ProducerConfig.ACKS_CONFIG, "1");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
    // Order is checked by the receiver; a retry of one of several requests would break it.
    config.put(ProducerConfig.RETRIES_CONFIG, 0);
    config.put(ProducerConfig.LINGER_MS_CONFIG, settings.number("lingerMs"));
    config.put(ProducerConfig.BATCH_SIZE_CONFIG, settings.number("batchBytes"));
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
    return config;
  }

  @Override
  public boolean offer(ByteBuffer message) {
    KafkaProducer<byte[], byte[]> to = producer;
    if (to == null) {
      throw new IllegalStateException("the receiving end does not send");
    }
    Exception earlier = failure;
    if (earlier != null) {
      throw new IllegalStateException("an earlier record was refused", earlier);
    }
    byte[] value = new byte[message.capacity()];
    message.get(0, value);
    to.send(
        new ProducerRecord<>(Topics.NAME, partition, null, value),
        (metadata, refused) -> {
          if (refused != null) {
            failure = refused;
          }
        });
    return true;
  }

  @Override
  public void flush() {
    // Batches leave by size and linger, as configured; KafkaProducer.flush would wait for answers.
  }

  @Override
  public boolean isPolled() {
    return true;
  }

  @Override
  public int poll(boolean mayBlock) {
    KafkaConsumer<byte[], byte[]> from = consumer;
    if (from == null) {
      return 0;
    }
    int count = 0;
    for (ConsumerRecord<byte[], byte[]> record :
        from.poll(mayBlock ? pollTimeout : Duration.ZERO)) {
      receiver.onMessage(ByteBuffer.wrap(record.value()), 0, record.value().length);
      count++;
    }
    return count;
  }

  /** Both clients wait by themselves; only the loop around the producer is left. */
  @Override
  public void idle(int workCount) {
    Idler.PARK.idle(workCount);
  }

  @Override
  public void close() {
    if (producer != null) {
      producer.close(Duration.ZERO);
    }
  }
}
