package io.weirmq.server.cli;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.message.DeleteGroupsRequest;
import io.weirmq.protocol.message.DeleteGroupsResponse;
import io.weirmq.protocol.message.DescribeGroupsRequest;
import io.weirmq.protocol.message.DescribeGroupsResponse;
import io.weirmq.protocol.message.ListGroupsRequest;
import io.weirmq.protocol.message.ListGroupsResponse;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.storage.TopicPartition;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mq group}: shows consumer groups and moves their offsets. */
@Command(
    name = "group",
    description = "List, describe and delete consumer groups, reset their offsets.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      GroupCommand.ListGroups.class,
      GroupCommand.Describe.class,
      GroupCommand.ResetOffsets.class,
      GroupCommand.Delete.class
    })
final class GroupCommand {

  private GroupCommand() {}

  private static DescribeGroupsResponse.DescribedGroup describe(
      ClusterClient client, String groupId) throws IOException {
    DescribeGroupsRequest request = new DescribeGroupsRequest().setGroups(List.of(groupId));
    try (Reply<DescribeGroupsResponse> reply =
        client
            .groupCoordinator(groupId)
            .call(ApiKey.DESCRIBE_GROUPS, request, DescribeGroupsResponse.class)) {
      DescribeGroupsResponse.DescribedGroup group = reply.message().groups().get(0);
      CommandFailedException.check(group.errorCode(), "group " + groupId, group.errorMessage());
      return group;
    }
  }

  /** Lists the groups of all brokers. */
  @Command(name = "list", description = "List groups with their states.")
  static final class ListGroups implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private ClientOptions options = new ClientOptions();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** What {@code --json} prints of a group. */
    record GroupRow(String group, String state, String type, String protocolType) {}

    @Override
    public Integer call() throws IOException {
      try (ClientOptions.Session session = options.open("group");
          Reply<ListGroupsResponse> reply =
              session
                  .client()
                  .anyBroker()
                  .call(ApiKey.LIST_GROUPS, new ListGroupsRequest(), ListGroupsResponse.class)) {
        CommandFailedException.check(reply.message().errorCode(), "groups", null);
        List<GroupRow> rows =
            reply.message().groups().stream()
                .map(
                    g -> new GroupRow(g.groupId(), g.groupState(), g.groupType(), g.protocolType()))
                .sorted(Comparator.comparing(GroupRow::group))
                .toList();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
          Json.print(out, rows);
        } else {
          rows.forEach(row -> out.println(row.group() + "  " + row.state()));
        }
        return 0;
      }
    }
  }

  /** Describes a group. */
  @Command(name = "describe", description = "Show members, committed offsets and lag of a group.")
  static final class Describe implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private ClientOptions options = new ClientOptions();

    @Parameters(paramLabel = "GROUP", description = "Id of the group.")
    private String groupId = "";

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** What {@code --json} prints of a group. */
    record GroupView(
        String group,
        String state,
        String protocol,
        List<MemberView> members,
        List<OffsetView> offsets) {}

    /** What {@code --json} prints of a member. */
    record MemberView(String memberId, @Nullable String instanceId, String clientId, String host) {}

    /** What {@code --json} prints of a committed offset. */
    record OffsetView(String topic, int partition, long committed, long logEnd, long lag) {}

    @Override
    public Integer call() throws IOException {
      try (ClientOptions.Session session = options.open("group")) {
        var group = describe(session.client(), groupId);
        Offsets offsets = new Offsets(session.client());
        List<OffsetView> rows = new ArrayList<>();
        for (Map.Entry<TopicPartition, Long> entry : offsets.committed(groupId).entrySet()) {
          TopicPartition partition = entry.getKey();
          long end = offsets.at(partition, Offsets.LATEST);
          rows.add(
              new OffsetView(
                  partition.topic(),
                  partition.partition(),
                  entry.getValue(),
                  end,
                  Math.max(0, end - entry.getValue())));
        }
        List<MemberView> members =
            group.members().stream()
                .map(
                    m ->
                        new MemberView(
                            m.memberId(), m.groupInstanceId(), m.clientId(), m.clientHost()))
                .toList();
        GroupView view =
            new GroupView(groupId, group.groupState(), group.protocolData(), members, rows);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
          Json.print(out, view);
        } else {
          print(out, view);
        }
        return 0;
      }
    }

    private static void print(PrintWriter out, GroupView view) {
      out.println(
          "%s  state %s  protocol %s  members %d"
              .formatted(view.group(), view.state(), view.protocol(), view.members().size()));
      for (MemberView member : view.members()) {
        String instance = member.instanceId() == null ? "-" : member.instanceId();
        out.println(
            "  member %s  instance %s  client %s  host %s"
                .formatted(member.memberId(), instance, member.clientId(), member.host()));
      }
      for (OffsetView row : view.offsets()) {
        out.println(
            "  %s-%d  committed %d  end %d  lag %d"
                .formatted(row.topic(), row.partition(), row.committed(), row.logEnd(), row.lag()));
      }
    }
  }

  /** Moves the committed offsets of an empty group. */
  @Command(
      name = "reset-offsets",
      description = "Set the committed offsets of a group without members.")
  static final class ResetOffsets implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private ClientOptions options = new ClientOptions();

    @Parameters(paramLabel = "GROUP", description = "Id of the group.")
    private String groupId = "";

    @Option(
        names = {"-t", "--topic"},
        paramLabel = "TOPIC",
        required = true,
        description = "Topic whose partitions are reset; may be repeated.")
    private List<String> topics = new ArrayList<>();

    @Option(names = "--dry-run", description = "Show what would be committed, commit nothing.")
    private boolean dryRun;

    @ArgGroup(multiplicity = "1")
    private Target target = new Target();

    /** Where to; exactly one. */
    static final class Target {
      @Option(names = "--to-earliest", description = "To the log start.")
      private boolean earliest;

      @Option(names = "--to-latest", description = "To the log end.")
      private boolean latest;

      @Option(names = "--to-offset", paramLabel = "OFFSET", description = "To an offset.")
      private @Nullable Long offset;

      @Option(
          names = "--to-time",
          paramLabel = "TIME",
          description = "To the first record at or after a time, 2026-01-31T12:00:00Z.")
      private @Nullable String time;
    }

    @Override
    public Integer call() throws IOException {
      try (ClientOptions.Session session = options.open("group")) {
        Offsets offsets = new Offsets(session.client());
        Map<TopicPartition, Long> wanted = Offsets.map();
        for (String topic : topics) {
          for (MetadataResponse.MetadataResponsePartition p :
              session.client().topic(topic, false).partitions()) {
            TopicPartition partition = new TopicPartition(topic, p.partitionIndex());
            wanted.put(partition, offsetOf(offsets, partition));
          }
        }
        if (!dryRun) {
          commit(offsets, wanted);
        }
        PrintWriter out = spec.commandLine().getOut();
        wanted.forEach((partition, offset) -> out.println(partition + " " + offset));
        return 0;
      }
    }

    private void commit(Offsets offsets, Map<TopicPartition, Long> wanted) throws IOException {
      List<String> refused = new ArrayList<>();
      offsets.commit(
          groupId, Offsets.NO_GENERATION, "", wanted, error -> refused.add(error.toString()));
      if (!refused.isEmpty()) {
        throw new CommandFailedException(
            "group %s: %d of %d offsets refused: %s (has the group members?)"
                .formatted(groupId, refused.size(), wanted.size(), refused.get(0)));
      }
    }

    private long offsetOf(Offsets offsets, TopicPartition partition) throws IOException {
      long earliest = offsets.at(partition, Offsets.EARLIEST);
      long latest = offsets.at(partition, Offsets.LATEST);
      if (target.earliest) {
        return earliest;
      }
      if (target.latest) {
        return latest;
      }
      if (target.offset != null) {
        return Math.max(earliest, Math.min(latest, target.offset));
      }
      if (target.time != null) {
        return offsets.at(partition, Instant.parse(target.time).toEpochMilli());
      }
      throw new CommandFailedException("nothing said where to reset to");
    }
  }

  /** Deletes groups. */
  @Command(name = "delete", description = "Delete groups without members, with their offsets.")
  static final class Delete implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private ClientOptions options = new ClientOptions();

    @Parameters(paramLabel = "GROUP", arity = "1..*", description = "Ids of the groups.")
    private List<String> groupIds = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
      try (ClientOptions.Session session = options.open("group")) {
        for (String groupId : groupIds) {
          DeleteGroupsRequest request = new DeleteGroupsRequest().setGroupsNames(List.of(groupId));
          try (Reply<DeleteGroupsResponse> reply =
              session
                  .client()
                  .groupCoordinator(groupId)
                  .call(ApiKey.DELETE_GROUPS, request, DeleteGroupsResponse.class)) {
            CommandFailedException.check(
                reply.message().results().get(0).errorCode(), "group " + groupId, null);
          }
          spec.commandLine().getOut().println("deleted group " + groupId);
        }
        return 0;
      }
    }
  }
}
