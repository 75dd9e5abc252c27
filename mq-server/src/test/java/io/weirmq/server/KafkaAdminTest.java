package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.server.config.BrokerKeys;
import io.weirmq.server.config.ConfigException;
import io.weirmq.server.config.TopicKeys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's own admin client against the broker. */
class KafkaAdminTest {

  private static final int BIG = 300;

  @TempDir Path folder;
  private Broker broker;
  private Admin admin;

  @BeforeEach
  void start() throws ConfigException, IOException {
    broker = TestBroker.in(folder).start();
    admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
  }

  @AfterEach
  void stop() throws IOException {
    admin.close(Duration.ZERO);
    broker.close();
  }

  @Test
  void topicsAreMadeDescribedAndDeleted() throws Exception {
    CreateTopicsResult made =
        admin.createTopics(
            List.of(
                new NewTopic("a", Optional.of(3), Optional.empty())
                    .configs(Map.of("retention.ms", "5000")),
                new NewTopic("b", Map.of(0, List.of(0), 1, List.of(0)))));
    get(made.all());

    assertThat(get(made.numPartitions("a"))).isEqualTo(3);
    assertThat(get(made.replicationFactor("b"))).isEqualTo(1);
    assertThat(get(made.config("a")).get("retention.ms").value()).isEqualTo("5000");
    assertThat(get(made.config("a")).entries()).hasSameSizeAs(TopicKeys.all().keySet());
    assertThat(get(admin.listTopics().names())).containsExactlyInAnyOrder("a", "b");
    TopicDescription described = describe("a");
    assertThat(described.topicId()).isEqualTo(get(made.topicId("a")));
    assertThat(described.authorizedOperations())
        .contains(AclOperation.READ, AclOperation.ALTER_CONFIGS)
        .hasSize(8);
    assertThat(described.partitions())
        .hasSize(3)
        .allSatisfy(
            partition -> {
              assertThat(partition.leader().id()).isZero();
              assertThat(partition.isr()).hasSize(1);
            });
    assertThat(
            get(
                admin
                    .describeTopics(TopicCollection.ofTopicIds(List.of(described.topicId())))
                    .allTopicIds()))
        .containsOnlyKeys(described.topicId());

    assertThatThrownBy(
            () -> get(admin.createTopics(List.of(new NewTopic("a", 1, (short) 1))).all()))
        .hasRootCauseInstanceOf(TopicExistsException.class);

    get(admin.createPartitions(Map.of("a", NewPartitions.increaseTo(5))).all());
    assertThat(describe("a").partitions()).hasSize(5);

    get(admin.deleteTopics(TopicCollection.ofTopicIds(List.of(described.topicId()))).all());
    get(admin.deleteTopics(List.of("b")).all());
    assertThat(get(admin.listTopics().names())).isEmpty();
    assertThatThrownBy(
            () ->
                get(
                    admin
                        .deleteTopics(TopicCollection.ofTopicIds(List.of(described.topicId())))
                        .all()))
        .hasRootCauseInstanceOf(UnknownTopicIdException.class);
  }

  @Test
  void configurationsAreChangedAndOutliveARestart() throws Exception {
    get(admin.createTopics(List.of(new NewTopic("a", 1, (short) 1))).all());
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "a");
    ConfigResource self = new ConfigResource(ConfigResource.Type.BROKER, "0");
    ConfigResource all = new ConfigResource(ConfigResource.Type.BROKER, "");

    alter(topic, "cleanup.policy", "compact", AlterConfigOp.OpType.APPEND);
    alter(topic, "max.message.bytes", "2000", AlterConfigOp.OpType.SET);
    alter(all, "log.retention.ms", "70000", AlterConfigOp.OpType.SET);
    alter(self, "log.segment.bytes", "2000000", AlterConfigOp.OpType.SET);

    assertThatThrownBy(() -> alter(topic, "retention.ms", "x", AlterConfigOp.OpType.SET))
        .hasRootCauseInstanceOf(InvalidConfigurationException.class);
    restart();
    Config described = describe(topic);
    assertThat(described.get("cleanup.policy").value()).isEqualTo("delete,compact");
    assertThat(described.get("max.message.bytes").source())
        .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG);
    assertThat(described.get("retention.ms").value()).isEqualTo("70000");
    assertThat(described.get("retention.ms").source())
        .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
    assertThat(described.get("segment.bytes").value()).isEqualTo("2000000");
    assertThat(described.get("segment.bytes").synonyms()).hasSize(2);
    assertThat(described.get("segment.bytes").documentation()).isNotBlank();
    Config broker = describe(self);
    assertThat(broker.entries()).hasSameSizeAs(BrokerKeys.all().keySet());
    assertThat(broker.get("log.dirs").isReadOnly()).isTrue();
    assertThat(broker.get("log.dirs").value()).isEqualTo(folder.toString());
    assertThat(describe(all).entries()).hasSize(1);
  }

  @Test
  void recordsAreDeletedAndProducersAndFoldersDescribed() throws Exception {
    get(admin.createTopics(List.of(new NewTopic("a", 1, (short) 1))).all());
    TopicPartition partition = new TopicPartition("a", 0);
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      for (int i = 0; i < 10; i++) {
        producer.send(record("a", "value " + i)).get(30, TimeUnit.SECONDS);
      }
    }

    assertThat(
            get(admin
                    .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(4)))
                    .lowWatermarks()
                    .get(partition))
                .lowWatermark())
        .isEqualTo(4);
    assertThatThrownBy(
            () ->
                get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(11))).all()))
        .hasRootCauseInstanceOf(OffsetOutOfRangeException.class);
    assertThat(
            get(admin
                    .listOffsets(Map.of(partition, OffsetSpec.earliest()))
                    .partitionResult(partition))
                .offset())
        .isEqualTo(4);
    get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(-1))).all());
    assertThat(
            get(admin
                    .listOffsets(Map.of(partition, OffsetSpec.earliest()))
                    .partitionResult(partition))
                .offset())
        .isEqualTo(10);

    assertThat(
            get(admin.describeProducers(List.of(partition)).partitionResult(partition))
                .activeProducers())
        .singleElement()
        .satisfies(
            state -> {
              assertThat(state.producerId()).isNotNegative();
              assertThat(state.lastSequence()).isEqualTo(9);
            });

    Map<String, LogDirDescription> folders =
        Objects.requireNonNull(get(admin.describeLogDirs(List.of(0)).allDescriptions()).get(0));
    assertThat(folders).containsOnlyKeys(folder.toAbsolutePath().toString());
    LogDirDescription data = folders.values().iterator().next();
    assertThat(data.error()).isNull();
    assertThat(data.totalBytes().orElse(-1)).isPositive();
    assertThat(data.usableBytes().orElse(-1)).isPositive();
    assertThat(data.replicaInfos())
        .hasEntrySatisfying(partition, replica -> assertThat(replica.size()).isPositive());
  }

  @Test
  @DisplayName("ST-14 a start inside a batch stays over restarts, and consumers begin there")
  void st14_deleteRecordsInsideABatch() throws Exception {
    get(admin.createTopics(List.of(new NewTopic("cut", 1, (short) 1))).all());
    TopicPartition partition = new TopicPartition("cut", 0);
    try (RawClient client = RawClient.connect(broker.boundPort())) {
      assertThat(
              TestBroker.produce(
                      client,
                      "cut",
                      0,
                      TestBroker.batch("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"))
                  .errorCode())
          .isZero();
    }
    get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(4))).all());

    for (int starts = 0; starts < 2; starts++) {
      restart();
      assertThat(
              get(admin
                      .listOffsets(Map.of(partition, OffsetSpec.earliest()))
                      .partitionResult(partition))
                  .offset())
          .isEqualTo(4);
      try (RawClient client = RawClient.connect(broker.boundPort())) {
        FetchResponse.PartitionData fetched =
            TestBroker.fetchOne(client, TestBroker.fetch("cut", 0, 4));
        assertThat(fetched.errorCode()).isZero();
        assertThat(fetched.logStartOffset()).isEqualTo(4);
        assertThat(TestBroker.values(fetched))
            .as("the batch around the start")
            .containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
        assertThat(TestBroker.fetchOne(client, TestBroker.fetch("cut", 0, 3)).errorCode())
            .isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE.code());
      }
      try (KafkaConsumer<byte[], byte[]> consumer =
          new KafkaConsumer<>(
              Map.of("bootstrap.servers", broker.bootstrapServers()),
              new ByteArrayDeserializer(),
              new ByteArrayDeserializer())) {
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        List<Long> offsets = new ArrayList<>();
        while (consumer.position(partition) < 10) {
          consumer.poll(Duration.ofSeconds(1)).forEach(record -> offsets.add(record.offset()));
        }
        assertThat(offsets).containsExactly(4L, 5L, 6L, 7L, 8L, 9L);
      }
    }
  }

  @Test
  void theClusterIsDescribed() throws Exception {
    var cluster = admin.describeCluster();

    assertThat(get(cluster.clusterId())).hasSize(22);
    assertThat(get(cluster.controller()).id()).isZero();
    assertThat(get(cluster.nodes()))
        .singleElement()
        .satisfies(node -> assertThat(node.port()).isEqualTo(broker.boundPort()));
    String clusterId = get(cluster.clusterId());
    restart();
    assertThat(get(admin.describeCluster().clusterId())).isEqualTo(clusterId);
  }

  @Test
  void op07_hundredsOfPartitionsComeWithOneRequestAndOutliveARestart() throws Exception {
    get(admin.createTopics(List.of(new NewTopic("big", BIG, (short) 1))).all());
    assertThat(describe("big").partitions()).hasSize(BIG);
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      producer
          .send(new ProducerRecord<>("big", BIG - 1, null, new byte[] {1}))
          .get(30, TimeUnit.SECONDS);
    }

    restart();

    TopicPartition last = new TopicPartition("big", BIG - 1);
    assertThat(
            get(admin.listOffsets(Map.of(last, OffsetSpec.latest())).partitionResult(last))
                .offset())
        .isEqualTo(1);
    assertThat(describe("big").partitions()).hasSize(BIG);
  }

  @Test
  void op07_moreThanTheLimitIsRefusedWhole() throws Exception {
    assertThatThrownBy(
            () ->
                get(
                    admin
                        .createTopics(
                            List.of(
                                new NewTopic("x", 6_000, (short) 1),
                                new NewTopic("y", 6_000, (short) 1)))
                        .all()))
        .hasRootCauseInstanceOf(PolicyViolationException.class)
        .hasMessageContaining("creates 12000 partitions, at most 10000");
    assertThat(get(admin.listTopics().names())).isEmpty();
    assertThat(partitionFolders("x-")).isEmpty();
  }

  @Test
  void op08_aTopicMadeAgainAndAgainIsANewOneEachTime() throws Exception {
    Set<Uuid> ids = new HashSet<>();
    for (int round = 0; round < 20; round++) {
      CreateTopicsResult made = admin.createTopics(List.of(new NewTopic("a", 2, (short) 1)));
      get(made.all());
      ids.add(get(made.topicId("a")));
      TopicPartition partition = new TopicPartition("a", 0);
      try (KafkaProducer<byte[], byte[]> producer = producer(Map.of("linger.ms", 0))) {
        for (int i = 0; i <= round; i++) {
          producer
              .send(new ProducerRecord<>("a", 0, null, bytes("round " + round)))
              .get(30, TimeUnit.SECONDS);
        }
      }
      assertThat(
              get(admin
                      .listOffsets(Map.of(partition, OffsetSpec.latest()))
                      .partitionResult(partition))
                  .offset())
          .as("round %d", round)
          .isEqualTo(round + 1);
      get(admin.deleteTopics(List.of("a")).all());
    }

    assertThat(ids).hasSize(20);
    assertThat(partitionFolders("a-")).isEmpty();
  }

  @Test
  void transactionsAreRefusedAtOnceWithTheReason() {
    try (KafkaProducer<byte[], byte[]> producer =
        producer(Map.of("transactional.id", "tx", "max.block.ms", 20_000))) {
      assertThatThrownBy(producer::initTransactions)
          .satisfies(
              failure ->
                  assertThat(failure)
                      .isNotInstanceOf(org.apache.kafka.common.errors.TimeoutException.class));
    }
  }

  private void restart() throws Exception {
    stop();
    start();
  }

  private List<Path> partitionFolders(String prefix) throws IOException {
    try (Stream<Path> paths = Files.list(folder)) {
      return paths.filter(path -> path.getFileName().toString().matches(prefix + "\\d+")).toList();
    }
  }

  private TopicDescription describe(String topic) throws Exception {
    DescribeTopicsOptions options = new DescribeTopicsOptions().includeAuthorizedOperations(true);
    return get(admin.describeTopics(List.of(topic), options).topicNameValues().get(topic));
  }

  private Config describe(ConfigResource resource) throws Exception {
    DescribeConfigsOptions options =
        new DescribeConfigsOptions().includeSynonyms(true).includeDocumentation(true);
    return get(admin.describeConfigs(List.of(resource), options).values().get(resource));
  }

  private void alter(
      ConfigResource resource, String key, String value, AlterConfigOp.OpType operation)
      throws Exception {
    get(
        admin
            .incrementalAlterConfigs(
                Map.of(
                    resource, List.of(new AlterConfigOp(new ConfigEntry(key, value), operation))))
            .all());
  }

  private KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> configs = new java.util.HashMap<>(more);
    configs.put("bootstrap.servers", broker.bootstrapServers());
    return new KafkaProducer<>(configs, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static ProducerRecord<byte[], byte[]> record(String topic, String value) {
    return new ProducerRecord<>(topic, bytes(value));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static <T> T get(@Nullable KafkaFuture<T> future)
      throws ExecutionException, InterruptedException, java.util.concurrent.TimeoutException {
    return Objects.requireNonNull(future).get(60, TimeUnit.SECONDS);
  }
}
