package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publisher and subscriber against Kafka's clients on the same topics. */
@Timeout(120)
class IpcEndToEndTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path data;

  private LocalBroker broker;
  private IpcClient client;

  @BeforeEach
  void start() throws Exception {
    broker = LocalBroker.start(data);
    broker.createTopic("t", Map.of());
    client = broker.client();
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    broker.close();
  }

  static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  static String text(@Nullable ByteBuffer buffer) {
    return buffer == null ? "null" : StandardCharsets.UTF_8.decode(buffer).toString();
  }

  /** Polls until a number of records has come. */
  static List<String> take(IpcSubscriber subscriber, int count) throws Exception {
    List<String> taken = new ArrayList<>();
    long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
    while (taken.size() < count && System.nanoTime() - deadlineNs < 0) {
      subscriber.poll(
          record ->
              taken.add(record.offset() + " " + text(record.key()) + "=" + text(record.value())),
          count - taken.size(),
          Duration.ofSeconds(1));
    }
    return taken;
  }

  @Test
  void aSubscriberSeesWhatAPublisherPublishes_withoutARequestPerRecord() throws Exception {
    try (IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults());
        IpcSubscriber subscriber =
            client.subscriber("t", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
      for (int i = 0; i < 100; i++) {
        assertThat(publisher.offer(bytes("k" + i), bytes("v" + i))).isEqualTo(i);
        assertThat(take(subscriber, 1)).containsExactly(i + " k" + i + "=v" + i);
      }
      assertThat(publisher.awaitAppended(99, PATIENCE)).isTrue();
      assertThat(publisher.lastAppendedOffset()).isEqualTo(99);
      assertThat(subscriber.position()).isEqualTo(100);
      assertThat(subscriber.isDirect()).isTrue();
    }
  }

  @Test
  void recordsArePublishedForKafkasConsumers() throws Exception {
    try (IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults())) {
      RecordClaim claim = new RecordClaim();
      assertThat(publisher.tryClaim(2, 3, claim)).isZero();
      claim.buffer().put(claim.keyPosition(), new byte[] {1, 2});
      claim.buffer().put(claim.valuePosition(), new byte[] {3, 4, 5});
      claim.commit();
      assertThat(publisher.tryClaim(2, 3, claim)).isEqualTo(1);
      claim.abort();
      assertThat(publisher.offer(null, bytes("no key"))).isEqualTo(1);
      assertThat(publisher.offer(bytes("tombstone"), null)).isEqualTo(2);
    }
    List<ConsumerRecord<byte[], byte[]>> read = consume(3);
    assertThat(read.get(0).key()).containsExactly(1, 2);
    assertThat(read.get(0).value()).containsExactly(3, 4, 5);
    assertThat(read.get(1).key()).isNull();
    assertThat(read.get(1).value()).asString(StandardCharsets.UTF_8).isEqualTo("no key");
    assertThat(read.get(2).value()).isNull();
    assertThat(read).extracting(ConsumerRecord::offset).containsExactly(0L, 1L, 2L);
  }

  @Test
  void headersArePublishedForKafkasConsumers() throws Exception {
    RecordHeaders headers = new RecordHeaders();
    try (IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults())) {
      headers.add("a", bytes("1")).add("", null).add("ä".repeat(100), bytes("2".repeat(200)));
      assertThat(publisher.offer(bytes("k"), bytes("v"), headers)).isZero();
      headers.clear();
      assertThat(publisher.offer(bytes("k"), null, headers)).isEqualTo(1);
      headers.add("a", bytes("")).add("a", bytes("3"));
      assertThat(publisher.offer(null, bytes("v"), headers)).isEqualTo(2);
      headers.add("much", ByteBuffer.allocate(120 * 1024));
      assertThat(publisher.offer(null, null, headers)).isEqualTo(IpcPublisher.TOO_LARGE);
      assertThat(headers.count()).isEqualTo(3);
    }
    List<ConsumerRecord<byte[], byte[]>> read = consume(3);
    assertThat(read)
        .extracting(each -> text(each.headers()))
        .containsExactly(
            List.of("a=1", "=null", "ä".repeat(100) + "=" + "2".repeat(200)),
            List.of(),
            List.of("a=", "a=3"));
    assertThat(read).extracting(each -> each.value() == null).containsExactly(false, true, false);
  }

  private static List<String> text(Headers headers) {
    List<String> all = new ArrayList<>();
    for (Header each : headers) {
      byte[] value = each.value();
      all.add(
          each.key() + "=" + (value == null ? "null" : new String(value, StandardCharsets.UTF_8)));
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
  void recordsOfKafkasProducersAreRead(String codec) throws Exception {
    produce(codec, 500);
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
      List<String> headers = new ArrayList<>();
      List<String> taken = new ArrayList<>();
      while (taken.size() < 500) {
        subscriber.poll(
            record -> {
              taken.add(record.offset() + " " + text(record.key()) + "=" + text(record.value()));
              while (record.nextHeader()) {
                headers.add(record.headerKey() + "=" + text(record.headerValue()));
              }
            },
            7,
            PATIENCE);
      }
      for (int i = 0; i < 500; i++) {
        assertThat(taken.get(i)).isEqualTo(i + " k" + i + "=" + "v".repeat(100) + i);
        assertThat(headers.get(i)).isEqualTo("h=" + i);
      }
    }
  }

  @Test
  void overTcpRecordsAreFetchedInstead() throws Exception {
    try (IpcClient remote = broker.remoteClient();
        IpcPublisher publisher = remote.publisher("t", 0, PublisherOptions.defaults());
        IpcSubscriber subscriber =
            remote.subscriber("t", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
      for (int i = 0; i < 10; i++) {
        publisher.offer(null, bytes("v" + i));
        assertThat(take(subscriber, 1)).containsExactly(i + " null=v" + i);
      }
      assertThat(subscriber.isDirect()).isFalse();
    }
  }

  /** Nothing but the record ends a wait here: it is one of an hour, for client and broker. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSubscriberThatSleepsIsWokenByTheRecord(boolean direct) throws Exception {
    SubscriberOptions sleepy =
        SubscriberOptions.defaults().withWaiting(Duration.ZERO, Duration.ZERO);
    Duration hour = Duration.ofHours(1);
    try (IpcClient other = direct ? broker.client() : broker.remoteClient();
        IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults());
        IpcSubscriber subscriber =
            IpcSubscriber.open(other, "t", 0, StartPosition.latest(), sleepy, hour)) {
      for (int i = 0; i < 50; i++) {
        String value = "v" + i;
        Thread sleeper = Thread.currentThread();
        CompletableFuture<Long> token =
            CompletableFuture.supplyAsync(() -> publishOnceItSleeps(sleeper, publisher, value));
        List<String> taken = new ArrayList<>();
        assertThat(subscriber.poll(record -> taken.add(text(record.value())), 1, hour))
            .isEqualTo(1);
        assertThat(taken).containsExactly(value);
        assertThat(token.join()).isEqualTo(i);
      }
      assertThat(subscriber.isDirect()).isEqualTo(direct);
    }
  }

  /** Once the subscriber sleeps and the broker waits for it, too. */
  private static long publishOnceItSleeps(Thread sleeper, IpcPublisher publisher, String value) {
    try {
      while (sleeper.getState() != Thread.State.TIMED_WAITING || LocalBroker.waitingReads() == 0) {
        Thread.onSpinWait();
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return publisher.offer(null, bytes(value));
  }

  @Test
  void startsWhereItIsTold() throws Exception {
    try (IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults())) {
      for (int i = 0; i < 10; i++) {
        publisher.offer(null, bytes("v" + i));
      }
    }
    SubscriberOptions grouped = SubscriberOptions.defaults().withGroup("g");
    StartPosition committed = StartPosition.committed("g", StartPosition.offset(4));
    try (IpcSubscriber subscriber = client.subscriber("t", 0, committed, grouped)) {
      assertThat(take(subscriber, 3)).containsExactly("4 null=v4", "5 null=v5", "6 null=v6");
      subscriber.commit();
    }
    try (IpcSubscriber subscriber = client.subscriber("t", 0, committed, grouped)) {
      assertThat(subscriber.position()).isEqualTo(7);
    }
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.latest(), SubscriberOptions.defaults())) {
      assertThat(subscriber.position()).isEqualTo(10);
      assertThat(subscriber.poll(record -> {}, 10)).isZero();
    }
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.timestamp(0), SubscriberOptions.defaults())) {
      assertThat(subscriber.position()).isZero();
    }
    try (IpcSubscriber subscriber =
        client.subscriber(
            "t", 0, StartPosition.timestamp(Long.MAX_VALUE / 2), SubscriberOptions.defaults())) {
      assertThat(subscriber.position()).isEqualTo(10);
    }
  }

  /** With waits of an hour, so that a question that waits must not hold up the next one. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void goesOnWhereItIsSent(boolean direct) throws Exception {
    publish(0, 10);
    SubscriberOptions sleepy =
        SubscriberOptions.defaults().withWaiting(Duration.ZERO, Duration.ZERO);
    Duration hour = Duration.ofHours(1);
    try (IpcClient other = direct ? broker.client() : broker.remoteClient();
        IpcSubscriber subscriber =
            IpcSubscriber.open(other, "t", 0, StartPosition.earliest(), sleepy, hour)) {
      assertThat(take(subscriber, 3)).hasSize(3).endsWith("2 null=v2");
      subscriber.seek(StartPosition.offset(8));
      assertThat(subscriber.position()).isEqualTo(8);
      assertThat(take(subscriber, 2)).containsExactly("8 null=v8", "9 null=v9");
      assertThat(subscriber.poll(record -> {}, 1, Duration.ofNanos(1))).isZero();
      await().atMost(PATIENCE).until(() -> LocalBroker.waitingReads() == 1);

      subscriber.seek(StartPosition.earliest());
      assertThat(take(subscriber, 10)).hasSize(10).startsWith("0 null=v0");
      subscriber.seek(StartPosition.offset(5));
      subscriber.seek(StartPosition.latest());
      assertThat(subscriber.position()).isEqualTo(10);
      assertThat(subscriber.poll(record -> {}, 1)).isZero();
      publish(10, 11);
      assertThat(take(subscriber, 1)).containsExactly("10 null=v10");

      subscriber.seek(StartPosition.offset(12));
      assertThatThrownBy(() -> subscriber.poll(record -> {}, 1, PATIENCE))
          .isInstanceOf(IpcException.class)
          .hasMessageContaining("offset 12 is out of range");
      assertThat(subscriber.isDirect()).isEqualTo(direct);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tellsHowFarTheLogGoes(boolean direct) throws Exception {
    publish(0, 10);
    try (IpcClient other = direct ? broker.client() : broker.remoteClient();
        IpcSubscriber subscriber =
            other.subscriber("t", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
      assertThat(subscriber.endOffset()).as("nobody has told").isEqualTo(-1);
      assertThat(take(subscriber, 4)).hasSize(4);
      assertThat(subscriber.endOffset() - subscriber.position()).isEqualTo(6);
      publish(10, 15);
      if (!direct) {
        assertThat(take(subscriber, 7)).as("the next answer").hasSize(7);
      }
      await().atMost(PATIENCE).until(() -> subscriber.endOffset() == 15);
    }
  }

  @Test
  void aHandlerMayEndThePoll_andMayNotSeek() throws Exception {
    publish(0, 10);
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
      RecordHandler untilFourth =
          record -> {
            if (record.offset() == 4) {
              record.endPoll();
            }
          };
      int count = 0;
      while (subscriber.position() < 5) {
        count += subscriber.poll(untilFourth, 100, PATIENCE);
      }
      assertThat(count).isEqualTo(5);
      assertThat(subscriber.position()).isEqualTo(5);
      assertThat(take(subscriber, 5)).startsWith("5 null=v5");

      subscriber.seek(StartPosition.offset(3));
      assertThatThrownBy(
              () -> subscriber.poll(record -> seekToBeginning(subscriber), 100, PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("subscriber of t-0 can't seek while it polls");
      assertThat(subscriber.position()).isEqualTo(4);
      seekToBeginning(subscriber);
      assertThat(take(subscriber, 10)).hasSize(10);
    }
  }

  private static void seekToBeginning(IpcSubscriber subscriber) {
    try {
      subscriber.seek(StartPosition.earliest());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void publish(int from, int to) throws Exception {
    try (IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults())) {
      for (int i = from; i < to; i++) {
        assertThat(publisher.offer(null, bytes("v" + i))).isNotNegative();
      }
      assertThat(publisher.awaitAppended(to - from - 1, PATIENCE)).isTrue();
    }
  }

  /** Ten records, a second apart, in one batch or in ten. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void startsInTheMiddleByTimestamp(boolean oneBatch) throws Exception {
    long firstMs = System.currentTimeMillis() - 100_000;
    Properties properties = properties();
    properties.put("linger.ms", "60000"); // until it is flushed
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < 10; i++) {
        producer.send(new ProducerRecord<>("t", 0, firstMs + 1_000L * i, null, new byte[] {1}));
        if (!oneBatch) {
          producer.flush();
        }
      }
    }
    assertThat(startOf(firstMs - 1)).isZero();
    assertThat(startOf(firstMs + 3_999)).isEqualTo(4);
    assertThat(startOf(firstMs + 4_000)).isEqualTo(4);
    assertThat(startOf(firstMs + 4_001)).isEqualTo(5);
    assertThat(startOf(firstMs + 9_000)).isEqualTo(9);
    assertThat(startOf(firstMs + 9_001)).as("behind the last").isEqualTo(10);
  }

  /** The position, which is the offset of what comes first, if anything does. */
  private long startOf(long timestampMs) throws Exception {
    List<Long> taken = new ArrayList<>();
    try (IpcSubscriber subscriber =
        client.subscriber(
            "t", 0, StartPosition.timestamp(timestampMs), SubscriberOptions.defaults())) {
      long start = subscriber.position();
      if (start < 10) {
        assertThat(subscriber.poll(record -> taken.add(record.offset()), 1, PATIENCE)).isEqualTo(1);
        assertThat(taken).containsExactly(start);
      }
      return start;
    }
  }

  @Test
  void committedOffsetsAreThoseOfKafkasGroups() throws Exception {
    TopicPartition partition = new TopicPartition("t", 0);
    try (IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults())) {
      for (int i = 0; i < 10; i++) {
        publisher.offer(null, bytes("v" + i));
      }
    }
    Properties properties = properties();
    properties.put("group.id", "g");
    StartPosition committed = StartPosition.committed("g", StartPosition.earliest());
    SubscriberOptions options = SubscriberOptions.defaults().withGroup("g");
    try (KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        Admin admin = Admin.create(properties)) {
      try (IpcSubscriber subscriber = client.subscriber("t", 0, committed, options)) {
        assertThat(take(subscriber, 3)).hasSize(3);
        subscriber.commit();
      }
      assertThat(consumer.committed(Set.of(partition)))
          .containsExactly(Map.entry(partition, new OffsetAndMetadata(3)));
      assertThat(admin.listConsumerGroupOffsets("g").partitionsToOffsetAndMetadata().get())
          .containsExactly(Map.entry(partition, new OffsetAndMetadata(3)));

      consumer.assign(List.of(partition));
      consumer.commitSync(Map.of(partition, new OffsetAndMetadata(5)));
      try (IpcSubscriber subscriber = client.subscriber("t", 0, committed, options)) {
        assertThat(take(subscriber, 1)).containsExactly("5 null=v5");
      }
      admin.alterConsumerGroupOffsets("g", Map.of(partition, new OffsetAndMetadata(8))).all().get();
      try (IpcSubscriber subscriber = client.subscriber("t", 0, committed, options)) {
        assertThat(take(subscriber, 1)).containsExactly("8 null=v8");
      }
    }
  }

  private Properties properties() {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", broker.bootstrapServers());
    return properties;
  }

  private void produce(String codec, int count) {
    Properties properties = properties();
    properties.put("compression.type", codec);
    properties.put("linger.ms", "20");
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < count; i++) {
        producer.send(
            new ProducerRecord<>(
                "t",
                0,
                null,
                ("k" + i).getBytes(StandardCharsets.UTF_8),
                ("v".repeat(100) + i).getBytes(StandardCharsets.UTF_8),
                List.of(
                    new RecordHeader("h", String.valueOf(i).getBytes(StandardCharsets.UTF_8)))));
      }
    }
  }

  private List<ConsumerRecord<byte[], byte[]>> consume(int count) {
    List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            properties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition("t", 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      while (read.size() < count) {
        consumer.poll(PATIENCE).forEach(read::add);
      }
    }
    return read;
  }
}
