package io.weirmq.compat.clients;

import static io.weirmq.compat.clients.Checks.eventually;
import static io.weirmq.compat.clients.Checks.get;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** The admin client: topics, configs, records, offsets, groups, cluster. */
final class AdminCases {
  private final Cluster cluster;
  private final String prefix;
  private final String topic;
  private final TopicPartition partition;

  AdminCases(Cluster cluster, String prefix) {
    this.cluster = cluster;
    this.prefix = prefix;
    this.topic = prefix + "admin";
    this.partition = new TopicPartition(topic, 0);
  }

  /** A case with an admin client of its own. */
  @FunctionalInterface
  private interface AdminCase {
    String run(Admin admin) throws Exception;
  }

  void run(CaseRunner runner) {
    run(runner, "admin create and describe topic", this::createTopic);
    run(runner, "admin create topic refused", this::createRefused);
    run(runner, "admin create partitions", this::createPartitions);
    run(runner, "admin describe configs", this::describeConfigs);
    run(runner, "admin alter configs", this::alterConfigs);
    run(runner, "admin list offsets", this::listOffsets);
    run(runner, "admin delete records", this::deleteRecords);
    run(runner, "admin list and describe groups", this::groups);
    run(runner, "admin group offsets", this::groupOffsets);
    run(runner, "admin delete group", this::deleteGroup);
    run(runner, "admin describe cluster", this::describeCluster);
    run(runner, "admin describe log dirs", this::describeLogDirs);
    run(runner, "admin describe producers", this::describeProducers);
    run(runner, "admin delete topic", this::deleteTopic);
  }

  private void run(CaseRunner runner, String name, AdminCase body) {
    runner.run(
        name,
        () -> {
          try (Admin admin = cluster.admin()) {
            return body.run(admin);
          }
        });
  }

  private String createTopic(Admin admin) throws Exception {
    NewTopic newTopic =
        new NewTopic(topic, 2, (short) 1)
            .configs(Map.of("segment.bytes", "1048576", "retention.ms", "3600000"));
    CreateTopicsResult dry =
        admin.createTopics(List.of(newTopic), new CreateTopicsOptions().validateOnly(true));
    get(dry.all());
    Checks.that(!get(admin.listTopics().names()).contains(topic), "nothing made by validateOnly");
    CreateTopicsResult result = admin.createTopics(List.of(newTopic));
    Checks.equal(2, get(result.numPartitions(topic)), "partitions answered");
    Checks.equal(1, get(result.replicationFactor(topic)), "replication factor answered");
    Checks.equal(
        "3600000", get(result.config(topic)).get("retention.ms").value(), "config answered");
    eventually(() -> describe(admin));
    TopicDescription description = describe(admin);
    Checks.equal(2, description.partitions().size(), "partitions");
    Checks.equal(false, description.isInternal(), "internal");
    Checks.equal(get(result.topicId(topic)), description.topicId(), "topic id");
    Map<?, TopicDescription> byId =
        get(
            admin
                .describeTopics(
                    org.apache.kafka.common.TopicCollection.ofTopicIds(
                        List.of(description.topicId())))
                .allTopicIds());
    Checks.equal(topic, byId.get(description.topicId()).name(), "name by id");
    return "";
  }

  private TopicDescription describe(Admin admin) throws Exception {
    return get(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic);
  }

  private String createRefused(Admin admin) {
    refuse(admin, TopicExistsException.class, new NewTopic(topic, 1, (short) 1));
    refuse(admin, InvalidTopicException.class, new NewTopic("a b", 1, (short) 1));
    refuse(admin, InvalidTopicException.class, new NewTopic("..", 1, (short) 1));
    refuse(admin, InvalidPartitionsException.class, new NewTopic(prefix + "x", 0, (short) 1));
    refuse(
        admin, InvalidReplicationFactorException.class, new NewTopic(prefix + "x", 1, (short) 3));
    refuse(
        admin,
        InvalidConfigurationException.class,
        new NewTopic(prefix + "x", 1, (short) 1).configs(Map.of("no.such.config", "1")));
    refuse(
        admin,
        InvalidConfigurationException.class,
        new NewTopic(prefix + "x", 1, (short) 1).configs(Map.of("segment.bytes", "few")));
    return "7 refusals";
  }

  private static void refuse(Admin admin, Class<? extends Throwable> error, NewTopic newTopic) {
    Checks.fails(error, () -> get(admin.createTopics(List.of(newTopic)).all()));
  }

  private String createPartitions(Admin admin) throws Exception {
    get(admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(5))).all());
    eventually(() -> Checks.equal(5, describe(admin).partitions().size(), "partitions"));
    Checks.fails(
        InvalidPartitionsException.class,
        () -> get(admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3))).all()));
    Checks.fails(
        UnknownTopicOrPartitionException.class,
        () ->
            get(
                admin
                    .createPartitions(Map.of(prefix + "none", NewPartitions.increaseTo(3)))
                    .all()));
    return "2 to 5";
  }

  private ConfigResource topicResource() {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic);
  }

  private Config configOf(Admin admin, ConfigResource resource) throws Exception {
    return get(admin.describeConfigs(List.of(resource)).all()).get(resource);
  }

  private String describeConfigs(Admin admin) throws Exception {
    Config config = configOf(admin, topicResource());
    Checks.equal("3600000", config.get("retention.ms").value(), "retention.ms");
    Checks.equal(
        ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG,
        config.get("retention.ms").source(),
        "source of a topic's own config");
    Checks.equal("delete", config.get("cleanup.policy").value(), "cleanup.policy");
    Checks.equal("1048588", config.get("max.message.bytes").value(), "max.message.bytes");
    String broker = get(admin.describeCluster().nodes()).iterator().next().idString();
    Config brokerConfig = configOf(admin, new ConfigResource(ConfigResource.Type.BROKER, broker));
    Checks.that(brokerConfig.get("log.dirs") != null, "log.dirs among the broker's configs");
    return config.entries().size() + " of topic, " + brokerConfig.entries().size() + " of broker";
  }

  private String alterConfigs(Admin admin) throws Exception {
    alter(admin, "retention.ms", "7200000", OpType.SET);
    alter(admin, "cleanup.policy", "compact", OpType.APPEND);
    expectConfigs(admin, "7200000", "delete,compact");
    alter(admin, "cleanup.policy", "compact", OpType.SUBTRACT);
    alter(admin, "retention.ms", "", OpType.DELETE);
    expectConfigs(admin, "604800000", "delete");
    Checks.fails(
        InvalidConfigurationException.class,
        () -> alter(admin, "retention.ms", "a week", OpType.SET));
    return "";
  }

  private void expectConfigs(Admin admin, String retention, String policy) throws Exception {
    eventually(
        () -> {
          Config config = configOf(admin, topicResource());
          Checks.equal(retention, config.get("retention.ms").value(), "retention.ms");
          Checks.equal(policy, config.get("cleanup.policy").value(), "cleanup.policy");
        });
  }

  private void alter(Admin admin, String key, String value, OpType type) throws Exception {
    Collection<AlterConfigOp> ops = List.of(new AlterConfigOp(new ConfigEntry(key, value), type));
    get(admin.incrementalAlterConfigs(Map.of(topicResource(), ops)).all());
  }

  /** Ten records, the one with the greatest timestamp in the middle. */
  private String listOffsets(Admin admin) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = cluster.producer(Map.of())) {
      for (int i = 0; i < 10; i++) {
        long timestamp = System.currentTimeMillis() - 100_000 + (i == 5 ? 60_000 : i * 1_000L);
        producer
            .send(new ProducerRecord<>(topic, 0, timestamp, null, new byte[] {(byte) i}))
            .get(Cluster.WAIT_SECONDS, TimeUnit.SECONDS);
      }
    }
    Checks.equal(0L, offset(admin, OffsetSpec.earliest()).offset(), "earliest");
    Checks.equal(10L, offset(admin, OffsetSpec.latest()).offset(), "latest");
    Checks.equal(5L, offset(admin, OffsetSpec.maxTimestamp()).offset(), "max timestamp");
    Checks.equal(0L, offset(admin, OffsetSpec.forTimestamp(1)).offset(), "by timestamp");
    Checks.equal(
        -1L,
        offset(admin, OffsetSpec.forTimestamp(System.currentTimeMillis())).offset(),
        "by a late timestamp");
    Checks.equal(0L, offset(admin, OffsetSpec.earliestLocal()).offset(), "earliest local");
    Checks.equal(-1L, offset(admin, OffsetSpec.latestTiered()).offset(), "latest tiered");
    return "7 kinds";
  }

  private ListOffsetsResultInfo offset(Admin admin, OffsetSpec spec) throws Exception {
    return get(admin.listOffsets(Map.of(partition, spec)).partitionResult(partition));
  }

  private String deleteRecords(Admin admin) throws Exception {
    Checks.equal(4L, deleteBefore(admin, 4), "low watermark");
    Checks.equal(4L, offset(admin, OffsetSpec.earliest()).offset(), "earliest");
    Checks.fails(OffsetOutOfRangeException.class, () -> deleteBefore(admin, 99));
    Checks.equal(6, cluster.readAll(topic).get(0).size(), "records left");
    Checks.equal(10L, deleteBefore(admin, -1), "low watermark at the end");
    return "";
  }

  private long deleteBefore(Admin admin, long offset) throws Exception {
    return get(admin
            .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset)))
            .lowWatermarks()
            .get(partition))
        .lowWatermark();
  }

  private String groups(Admin admin) throws Exception {
    String group = prefix + "admin-group";
    try (KafkaConsumer<byte[], byte[]> consumer =
        cluster.consumer(Map.of("group.id", group, "client.id", "reader"))) {
      consumer.subscribe(List.of(topic));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Cluster.WAIT_SECONDS);
      while (consumer.assignment().isEmpty()) {
        Checks.that(System.nanoTime() < deadline, "an assignment");
        consumer.poll(java.time.Duration.ofMillis(100));
      }
      consumer.commitSync(Map.of(partition, new OffsetAndMetadata(7)));
      ConsumerGroupDescription description =
          get(admin.describeConsumerGroups(List.of(group)).all()).get(group);
      Checks.equal("STABLE", description.state().name(), "state");
      Checks.equal("range", description.partitionAssignor(), "assignor");
      Checks.equal("reader", description.members().iterator().next().clientId(), "client id");
      Checks.equal(
          5,
          description.members().iterator().next().assignment().topicPartitions().size(),
          "partitions of the member");
      Checks.that(
          get(admin.listConsumerGroups().all()).stream().anyMatch(g -> g.groupId().equals(group)),
          "the group listed");
      Checks.fails(
          GroupNotEmptyException.class,
          () -> get(admin.deleteConsumerGroups(List.of(group)).all()));
    }
    return "";
  }

  private String groupOffsets(Admin admin) throws Exception {
    String group = prefix + "admin-group";
    Checks.equal(7L, committed(admin, group), "committed");
    Map<TopicPartition, OffsetAndMetadata> altered = new HashMap<>();
    altered.put(partition, new OffsetAndMetadata(3, Optional.empty(), "by admin"));
    get(admin.alterConsumerGroupOffsets(group, altered).all());
    Checks.equal(3L, committed(admin, group), "altered");
    get(admin.deleteConsumerGroupOffsets(group, Set.of(partition)).all());
    Checks.that(
        get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()).get(partition)
            == null,
        "offset deleted");
    return "";
  }

  private long committed(Admin admin, String group) throws Exception {
    return get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
        .get(partition)
        .offset();
  }

  private String deleteGroup(Admin admin) throws Exception {
    String group = prefix + "admin-group";
    get(admin.alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(1))).all());
    get(admin.deleteConsumerGroups(List.of(group)).all());
    Checks.that(
        get(admin.listConsumerGroups().all()).stream().noneMatch(g -> g.groupId().equals(group)),
        "the group gone");
    Checks.fails(
        GroupIdNotFoundException.class,
        () -> get(admin.deleteConsumerGroups(List.of(group)).all()));
    return "";
  }

  private String describeCluster(Admin admin) throws Exception {
    DescribeClusterResult result = admin.describeCluster();
    Collection<Node> nodes = get(result.nodes());
    Checks.equal(1, nodes.size(), "brokers");
    Checks.equal(22, get(result.clusterId()).length(), "length of the cluster id");
    Checks.that(get(result.controller()) != null, "a controller");
    return "";
  }

  private String describeLogDirs(Admin admin) throws Exception {
    int broker = get(admin.describeCluster().nodes()).iterator().next().id();
    Map<String, LogDirDescription> dirs =
        get(admin.describeLogDirs(List.of(broker)).allDescriptions()).get(broker);
    long partitions =
        dirs.values().stream()
            .flatMap(dir -> dir.replicaInfos().keySet().stream())
            .filter(p -> p.topic().equals(topic))
            .count();
    Checks.equal(5L, partitions, "partitions of the topic");
    Checks.that(dirs.values().stream().allMatch(dir -> dir.error() == null), "no error");
    return "";
  }

  private String describeProducers(Admin admin) throws Exception {
    TopicPartition written = new TopicPartition(prefix + "idempotent", 0);
    int producers =
        get(admin.describeProducers(List.of(written)).partitionResult(written))
            .activeProducers()
            .size();
    Checks.equal(1, producers, "producers of an idempotent topic");
    return "";
  }

  private String deleteTopic(Admin admin) throws Exception {
    org.apache.kafka.common.Uuid before = describe(admin).topicId();
    get(admin.deleteTopics(List.of(topic)).all());
    eventually(() -> Checks.fails(UnknownTopicOrPartitionException.class, () -> describe(admin)));
    cluster.createTopic(topic, 1, Map.of());
    eventually(() -> describe(admin));
    Checks.that(!describe(admin).topicId().equals(before), "another topic id after re-creation");
    Checks.equal(0L, offset(admin, OffsetSpec.latest()).offset(), "end of the new topic");
    get(
        admin
            .deleteTopics(
                org.apache.kafka.common.TopicCollection.ofTopicIds(
                    List.of(describe(admin).topicId())))
            .all());
    return "by name, re-created, by id";
  }
}
