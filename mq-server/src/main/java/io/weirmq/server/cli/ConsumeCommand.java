package io.weirmq.server.cli;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.storage.TopicPartition;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code mq consume}: prints records of a topic. */
@Command(
    name = "consume",
    description = {
      "Print the records of a topic, and go on as new ones come, until interrupted or told to end.",
      "Without --group it reads all partitions and commits nothing."
    })
final class ConsumeCommand implements Callable<Integer> {

  private static final long HEARTBEAT_INTERVAL_NS = 2_000_000_000L;
  private static final int OUTPUT_BUFFER_BYTES = 1 << 16;
  private static final long ORDERLY_END_SECONDS = 5;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClientOptions options = new ClientOptions();

  @Option(
      names = {"-t", "--topic"},
      paramLabel = "TOPIC",
      required = true,
      description = "Topic to read.")
  private String topic = "";

  @Option(
      names = {"-p", "--partition"},
      paramLabel = "N",
      description = "Read one partition only.")
  private @Nullable Integer partition;

  @ArgGroup private Start start = new Start();

  /** Where to begin; at the end where nothing is said. */
  static final class Start {
    @Option(names = "--from-beginning", description = "Begin at the log start.")
    private boolean beginning;

    @Option(names = "--offset", paramLabel = "OFFSET", description = "Begin at an offset.")
    private @Nullable Long offset;

    @Option(
        names = "--from-time",
        paramLabel = "TIME",
        description = "Begin at the first record at or after a time, 2026-01-31T12:00:00Z.")
    private @Nullable String time;
  }

  @Option(
      names = {"-g", "--group"},
      paramLabel = "GROUP",
      description = "Share the partitions with a consumer group and commit what was printed.")
  private @Nullable String group;

  @Option(
      names = {"-f", "--format"},
      paramLabel = "FORMAT",
      defaultValue = "value",
      converter = FormatConverter.class,
      description = "value, key-value or json (default: ${DEFAULT-VALUE}).")
  private RecordFormat format = RecordFormat.VALUE;

  @Option(
      names = {"-n", "--max-messages"},
      paramLabel = "COUNT",
      description = "End after so many records.")
  private long maxMessages = Long.MAX_VALUE;

  @Option(
      names = {"-e", "--exit-at-end"},
      description = "End when all partitions were read up to their ends.")
  private boolean exitAtEnd;

  private final AtomicBoolean interrupted = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);
  private long printed;

  @Override
  public Integer call() throws IOException {
    try (ClientOptions.Session session = options.open("consume");
        OutputStream out =
            new BufferedOutputStream(
                new FileOutputStream(FileDescriptor.out), OUTPUT_BUFFER_BYTES)) {
      MetadataResponse.MetadataResponseTopic metadata =
          session.client().topic(topic, false, p -> partition == null || partition == p);
      Runtime.getRuntime().addShutdownHook(new Thread(this::endOrderly, "mq-cli-interrupt"));
      try (PartitionFetcher fetcher = new PartitionFetcher(session.client(), metadata)) {
        if (group == null) {
          readAll(session.client(), metadata, fetcher, out);
        } else {
          readInGroup(session.client(), metadata, fetcher, group, out);
        }
        out.flush();
      } finally {
        ended.countDown();
      }
      spec.commandLine().getErr().println(printed + " records");
      return 0;
    }
  }

  private void readAll(
      ClusterClient client,
      MetadataResponse.MetadataResponseTopic metadata,
      PartitionFetcher fetcher,
      OutputStream out)
      throws IOException {
    Offsets offsets = new Offsets(client);
    for (TopicPartition wanted : wantedPartitions(metadata)) {
      fetcher.seek(wanted, startOffset(offsets, wanted));
    }
    while (wantsMore(fetcher)) {
      fetcher.poll(printer(out));
      out.flush();
    }
  }

  private void readInGroup(
      ClusterClient client,
      MetadataResponse.MetadataResponseTopic metadata,
      PartitionFetcher fetcher,
      String groupId,
      OutputStream out)
      throws IOException {
    Offsets offsets = new Offsets(client);
    GroupMember member = new GroupMember(client, groupId, topic, metadata.partitions().size());
    adopt(member.join(), offsets, groupId, fetcher);
    long lastHeartbeatNs = System.nanoTime();
    while (wantsMore(fetcher)) {
      fetcher.poll(printer(out));
      out.flush();
      if (System.nanoTime() - lastHeartbeatNs >= HEARTBEAT_INTERVAL_NS) {
        lastHeartbeatNs = System.nanoTime();
        commit(offsets, groupId, member, fetcher);
        if (!member.heartbeat()) {
          adopt(member.join(), offsets, groupId, fetcher);
        }
      }
    }
    commit(offsets, groupId, member, fetcher);
    member.leave();
  }

  private void adopt(
      List<TopicPartition> assigned, Offsets offsets, String groupId, PartitionFetcher fetcher)
      throws IOException {
    Map<TopicPartition, Long> committed = offsets.committed(groupId);
    fetcher.clear();
    for (TopicPartition mine : assigned) {
      Long offset = committed.get(mine);
      fetcher.seek(mine, offset != null ? offset : startOffset(offsets, mine));
    }
    spec.commandLine().getErr().println("group " + groupId + ": assigned " + assigned);
  }

  private void commit(Offsets offsets, String groupId, GroupMember member, PartitionFetcher fetcher)
      throws IOException {
    List<ErrorCode> refused = new ArrayList<>();
    Map<TopicPartition, Long> positions = fetcher.positions();
    if (!positions.isEmpty()) {
      offsets.commit(groupId, member.generation(), member.memberId(), positions, refused::add);
    }
    if (!refused.isEmpty()) {
      // The heartbeat that follows says the same and leads to a new join.
      spec.commandLine()
          .getErr()
          .println("group %s: commit refused: %s".formatted(groupId, refused.get(0)));
    }
  }

  private List<TopicPartition> wantedPartitions(MetadataResponse.MetadataResponseTopic metadata)
      throws CommandFailedException {
    List<TopicPartition> wanted = new ArrayList<>();
    for (MetadataResponse.MetadataResponsePartition p : metadata.partitions()) {
      if (partition == null || partition == p.partitionIndex()) {
        wanted.add(new TopicPartition(topic, p.partitionIndex()));
      }
    }
    if (wanted.isEmpty()) {
      throw new CommandFailedException("partition " + topic + "-" + partition + " does not exist");
    }
    return wanted;
  }

  private long startOffset(Offsets offsets, TopicPartition wanted) throws IOException {
    if (start.beginning) {
      return offsets.at(wanted, Offsets.EARLIEST);
    }
    if (start.offset != null) {
      return start.offset;
    }
    if (start.time != null) {
      return offsets.at(wanted, Instant.parse(start.time).toEpochMilli());
    }
    return offsets.at(wanted, Offsets.LATEST);
  }

  private boolean wantsMore(PartitionFetcher fetcher) {
    return printed < maxMessages && !interrupted.get() && !(exitAtEnd && fetcher.isAtEnd());
  }

  private PartitionFetcher.Sink printer(OutputStream out) {
    return (source, record) -> {
      format.print(source, record, out);
      printed++;
      return printed < maxMessages && !interrupted.get();
    };
  }

  /**
   * On Ctrl-C: lets the loop end after the present poll, so that the group is left in good order.
   */
  private void endOrderly() {
    interrupted.set(true);
    try {
      if (!ended.await(ORDERLY_END_SECONDS, TimeUnit.SECONDS)) {
        spec.commandLine()
            .getErr()
            .println("mq consume: a broker did not answer; ended without it");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes the names with hyphens. */
  static final class FormatConverter implements ITypeConverter<RecordFormat> {
    @Override
    public RecordFormat convert(String text) {
      return switch (text) {
        case "value" -> RecordFormat.VALUE;
        case "key-value" -> RecordFormat.KEY_VALUE;
        case "json" -> RecordFormat.JSON;
        default ->
            throw new TypeConversionException(
                "\"" + text + "\" is no format; allowed: value, key-value, json");
      };
    }
  }
}
