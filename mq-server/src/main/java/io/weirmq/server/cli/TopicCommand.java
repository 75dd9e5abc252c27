package io.weirmq.server.cli;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.Uuids;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.message.CreatePartitionsRequest;
import io.weirmq.protocol.message.CreatePartitionsResponse;
import io.weirmq.protocol.message.CreateTopicsRequest;
import io.weirmq.protocol.message.CreateTopicsResponse;
import io.weirmq.protocol.message.DeleteTopicsRequest;
import io.weirmq.protocol.message.DeleteTopicsResponse;
import io.weirmq.protocol.message.DescribeConfigsRequest;
import io.weirmq.protocol.message.DescribeConfigsResponse;
import io.weirmq.protocol.message.IncrementalAlterConfigsRequest;
import io.weirmq.protocol.message.IncrementalAlterConfigsResponse;
import io.weirmq.protocol.message.MetadataResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mq topic}: makes, lists, describes, alters and deletes topics. */
@Command(
    name = "topic",
    description = "Create, list, describe, alter and delete topics.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      TopicCommand.Create.class,
      TopicCommand.ListTopics.class,
      TopicCommand.Describe.class,
      TopicCommand.Alter.class,
      TopicCommand.Delete.class
    })
final class TopicCommand {

  private static final byte TOPIC_RESOURCE = 2;
  private static final byte TOPIC_SOURCE = 1;
  private static final byte SET = 0;
  private static final byte DELETE = 1;
  private static final int TIMEOUT_MS = 30_000;

  private TopicCommand() {}

  private static List<MetadataResponse.MetadataResponseTopic> topics(
      ClusterClient client, List<String> names) throws IOException {
    List<MetadataResponse.MetadataResponseTopic> topics =
        new ArrayList<>(client.metadata(names.isEmpty() ? null : names, false).topics());
    for (MetadataResponse.MetadataResponseTopic topic : topics) {
      CommandFailedException.check(topic.errorCode(), "topic " + topic.name(), null);
    }
    topics.sort(Comparator.comparing(topic -> String.valueOf(topic.name())));
    return topics;
  }

  /** Makes a topic. */
  @Command(name = "create", description = "Create a topic.")
  static final class Create implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private ClientOptions options = new ClientOptions();

    @Parameters(paramLabel = "TOPIC", description = "Name of the topic.")
    private String name = "";

    @Option(
        names = {"-p", "--partitions"},
        defaultValue = "-1",
        description = "Number of partitions (default: the broker's num.partitions).")
    private int partitions;

    @Option(
        names = {"-r", "--replication-factor"},
        defaultValue = "-1",
        description = "Replicas per partition (default: the broker's default).")
    private short replicationFactor;

    @Option(
        names = {"-c", "--config"},
        paramLabel = "KEY=VALUE",
        description = "A configuration of the topic; may be repeated.")
    private Map<String, String> configs = new TreeMap<>();

    @Option(names = "--if-not-exists", description = "An existing topic is no error.")
    private boolean ifNotExists;

    @Override
    public Integer call() throws IOException {
      CreateTopicsRequest.CreatableTopic topic =
          new CreateTopicsRequest.CreatableTopic()
              .setName(name)
              .setNumPartitions(partitions)
              .setReplicationFactor(replicationFactor)
              .setConfigs(
                  configs.entrySet().stream()
                      .map(
                          entry ->
                              new CreateTopicsRequest.CreatableTopicConfig()
                                  .setName(entry.getKey())
                                  .setValue(entry.getValue()))
                      .toList());
      CreateTopicsRequest request =
          new CreateTopicsRequest().setTopics(List.of(topic)).setTimeoutMs(TIMEOUT_MS);
      try (ClientOptions.Session session = options.open("topic");
          Reply<CreateTopicsResponse> reply =
              session
                  .client()
                  .controller()
                  .call(ApiKey.CREATE_TOPICS, request, CreateTopicsResponse.class)) {
        CreateTopicsResponse.CreatableTopicResult result = reply.message().topics().get(0);
        PrintWriter out = spec.commandLine().getOut();
        if (ifNotExists && result.errorCode() == ErrorCode.TOPIC_ALREADY_EXISTS.code()) {
          out.println("topic " + name + " exists already");
          return 0;
        }
        CommandFailedException.check(result.errorCode(), "topic " + name, result.errorMessage());
        out.println(
            "created topic %s with %d partitions, id %s"
                .formatted(name, result.numPartitions(), Uuids.toText(result.topicId())));
        return 0;
      }
    }
  }

  /** Lists topics. */
  @Command(name = "list", description = "List topics.")
  static final class ListTopics implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private ClientOptions options = new ClientOptions();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Option(names = "--exclude-internal", description = "Leave internal topics out.")
    private boolean excludeInternal;

    @Override
    public Integer call() throws IOException {
      try (ClientOptions.Session session = options.open("topic")) {
        List<String> names =
            topics(session.client(), List.of()).stream()
                .filter(topic -> !(excludeInternal && topic.isInternal()))
                .map(topic -> String.valueOf(topic.name()))
                .toList();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
          Json.print(out, names);
        } else {
          names.forEach(out::println);
        }
        return 0;
      }
    }
  }

  /** What {@code describe --json} prints of a topic. */
  record TopicView(
      String name,
      String id,
      boolean internal,
      Map<String, @Nullable String> configs,
      List<PartitionView> partitions) {}

  /** What {@code describe --json} prints of a partition. */
  record PartitionView(
      int partition, int leader, int leaderEpoch, List<Integer> replicas, List<Integer> isr) {}

  /** Describes topics. */
  @Command(name = "describe", description = "Show partitions and configurations of topics.")
  static final class Describe implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private ClientOptions options = new ClientOptions();

    @Parameters(paramLabel = "TOPIC", arity = "0..*", description = "Names (default: all).")
    private List<String> names = new ArrayList<>();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
      try (ClientOptions.Session session = options.open("topic")) {
        List<TopicView> views = new ArrayList<>();
        for (MetadataResponse.MetadataResponseTopic topic : topics(session.client(), names)) {
          String name = String.valueOf(topic.name());
          views.add(
              new TopicView(
                  name,
                  Uuids.toText(topic.topicId()),
                  topic.isInternal(),
                  ownConfigs(session.client(), name),
                  topic.partitions().stream()
                      .map(
                          p ->
                              new PartitionView(
                                  p.partitionIndex(),
                                  p.leaderId(),
                                  p.leaderEpoch(),
                                  p.replicaNodes(),
                                  p.isrNodes()))
                      .sorted(Comparator.comparingInt(PartitionView::partition))
                      .toList()));
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
          Json.print(out, views);
        } else {
          views.forEach(view -> print(out, view));
        }
        return 0;
      }
    }

    private static void print(PrintWriter out, TopicView topic) {
      out.println(
          "%s  id %s  partitions %d  configs %s"
              .formatted(topic.name(), topic.id(), topic.partitions().size(), topic.configs()));
      for (PartitionView p : topic.partitions()) {
        out.println(
            "  partition %d  leader %d  epoch %d  replicas %s  isr %s"
                .formatted(p.partition(), p.leader(), p.leaderEpoch(), p.replicas(), p.isr()));
      }
    }

    private static Map<String, @Nullable String> ownConfigs(ClusterClient client, String topic)
        throws IOException {
      DescribeConfigsRequest request =
          new DescribeConfigsRequest()
              .setResources(
                  List.of(
                      new DescribeConfigsRequest.DescribeConfigsResource()
                          .setResourceType(TOPIC_RESOURCE)
                          .setResourceName(topic)
                          .setConfigurationKeys(null)));
      try (Reply<DescribeConfigsResponse> reply =
          client
              .anyBroker()
              .call(ApiKey.DESCRIBE_CONFIGS, request, DescribeConfigsResponse.class)) {
        DescribeConfigsResponse.DescribeConfigsResult result = reply.message().results().get(0);
        CommandFailedException.check(result.errorCode(), "topic " + topic, result.errorMessage());
        Map<String, @Nullable String> own = new TreeMap<>();
        for (var config : result.configs()) {
          if (config.configSource() == TOPIC_SOURCE) {
            own.put(config.name(), config.value());
          }
        }
        return own;
      }
    }
  }

  /** Alters a topic. */
  @Command(name = "alter", description = "Add partitions, set or remove configurations.")
  static final class Alter implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private ClientOptions options = new ClientOptions();

    @Parameters(paramLabel = "TOPIC", description = "Name of the topic.")
    private String name = "";

    @Option(
        names = {"-p", "--partitions"},
        defaultValue = "0",
        description = "New total number of partitions.")
    private int partitions;

    @Option(
        names = {"-c", "--config"},
        paramLabel = "KEY=VALUE",
        description = "Sets a configuration; may be repeated.")
    private Map<String, String> configs = new TreeMap<>();

    @Option(
        names = {"-d", "--delete-config"},
        paramLabel = "KEY",
        description = "Removes a configuration; may be repeated.")
    private List<String> deleted = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
      if (partitions == 0 && configs.isEmpty() && deleted.isEmpty()) {
        throw new CommandFailedException("nothing to alter: give --partitions or --config");
      }
      try (ClientOptions.Session session = options.open("topic")) {
        if (partitions > 0) {
          addPartitions(session.client());
        }
        if (!configs.isEmpty() || !deleted.isEmpty()) {
          alterConfigs(session.client());
        }
        spec.commandLine().getOut().println("altered topic " + name);
        return 0;
      }
    }

    private void addPartitions(ClusterClient client) throws IOException {
      CreatePartitionsRequest request =
          new CreatePartitionsRequest()
              .setTopics(
                  List.of(
                      new CreatePartitionsRequest.CreatePartitionsTopic()
                          .setName(name)
                          .setCount(partitions)
                          .setAssignments(null)))
              .setTimeoutMs(TIMEOUT_MS);
      try (Reply<CreatePartitionsResponse> reply =
          client
              .controller()
              .call(ApiKey.CREATE_PARTITIONS, request, CreatePartitionsResponse.class)) {
        var result = reply.message().results().get(0);
        CommandFailedException.check(result.errorCode(), "topic " + name, result.errorMessage());
      }
    }

    private void alterConfigs(ClusterClient client) throws IOException {
      List<IncrementalAlterConfigsRequest.AlterableConfig> changes = new ArrayList<>();
      configs.forEach(
          (key, value) ->
              changes.add(
                  new IncrementalAlterConfigsRequest.AlterableConfig()
                      .setName(key)
                      .setConfigOperation(SET)
                      .setValue(value)));
      for (String key : deleted) {
        changes.add(
            new IncrementalAlterConfigsRequest.AlterableConfig()
                .setName(key)
                .setConfigOperation(DELETE)
                .setValue(null));
      }
      IncrementalAlterConfigsRequest request =
          new IncrementalAlterConfigsRequest()
              .setResources(
                  List.of(
                      new IncrementalAlterConfigsRequest.AlterConfigsResource()
                          .setResourceType(TOPIC_RESOURCE)
                          .setResourceName(name)
                          .setConfigs(changes)));
      try (Reply<IncrementalAlterConfigsResponse> reply =
          client
              .controller()
              .call(
                  ApiKey.INCREMENTAL_ALTER_CONFIGS,
                  request,
                  IncrementalAlterConfigsResponse.class)) {
        var result = reply.message().responses().get(0);
        CommandFailedException.check(result.errorCode(), "topic " + name, result.errorMessage());
      }
    }
  }

  /** Deletes topics. */
  @Command(name = "delete", description = "Delete topics with all their records.")
  static final class Delete implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private ClientOptions options = new ClientOptions();

    @Parameters(paramLabel = "TOPIC", arity = "1..*", description = "Names of the topics.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
      DeleteTopicsRequest request =
          new DeleteTopicsRequest()
              .setTopics(
                  names.stream()
                      .map(name -> new DeleteTopicsRequest.DeleteTopicState().setName(name))
                      .toList())
              .setTimeoutMs(TIMEOUT_MS);
      try (ClientOptions.Session session = options.open("topic");
          Reply<DeleteTopicsResponse> reply =
              session
                  .client()
                  .controller()
                  .call(ApiKey.DELETE_TOPICS, request, DeleteTopicsResponse.class)) {
        for (DeleteTopicsResponse.DeletableTopicResult result : reply.message().responses()) {
          CommandFailedException.check(
              result.errorCode(), "topic " + result.name(), result.errorMessage());
          spec.commandLine().getOut().println("deleted topic " + result.name());
        }
        return 0;
      }
    }
  }
}
