package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DescribeLogDirsRequest;
import io.weirmq.protocol.message.DescribeLogDirsRequest.DescribableLogDirTopic;
import io.weirmq.protocol.message.DescribeLogDirsResponse;
import io.weirmq.protocol.message.DescribeLogDirsResponse.DescribeLogDirsPartition;
import io.weirmq.protocol.message.DescribeLogDirsResponse.DescribeLogDirsResult;
import io.weirmq.protocol.message.DescribeLogDirsResponse.DescribeLogDirsTopic;
import io.weirmq.replication.HostedPartitions;
import io.weirmq.replication.OfflineFolder;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.TopicPartition;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what the data folders hold, and how much room there is. Asks the file system, so the work
 * is done on an executor. Safe for use by several threads.
 */
public final class DescribeLogDirsHandler
    implements ApiHandler<DescribeLogDirsRequest, DescribeLogDirsResponse> {

  private static final Logger LOG = LoggerFactory.getLogger(DescribeLogDirsHandler.class);

  private static final short FIRST_VERSION_WITH_BYTES = 4;
  private static final long NO_LAG = 0;

  private final HostedPartitions partitions;
  private final Executor executor;

  /**
   * Makes the handler.
   *
   * @param executor runs what may block
   */
  public DescribeLogDirsHandler(HostedPartitions partitions, Executor executor) {
    this.partitions = partitions;
    this.executor = executor;
  }

  @Override
  public CompletionStage<@Nullable DescribeLogDirsResponse> handle(
      RequestContext context, DescribeLogDirsRequest request) {
    return CompletableFuture.supplyAsync(() -> answer(context.apiVersion(), request), executor);
  }

  private @Nullable DescribeLogDirsResponse answer(short version, DescribeLogDirsRequest request) {
    Set<TopicPartition> asked = asked(request);
    DescribeLogDirsResponse response = new DescribeLogDirsResponse();
    for (LogDirectory directory : partitions.directories()) {
      response.results().add(describe(version, directory, asked));
    }
    for (OfflineFolder folder : partitions.offlineFolders()) {
      response
          .results()
          .add(
              new DescribeLogDirsResult()
                  .setLogDir(folder.path().toAbsolutePath().toString())
                  .setErrorCode(ErrorCode.KAFKA_STORAGE_ERROR.code()));
    }
    return response;
  }

  /** The partitions that are asked for; null for all. */
  private static @Nullable Set<TopicPartition> asked(DescribeLogDirsRequest request) {
    List<DescribableLogDirTopic> topics = request.topics();
    if (topics == null) {
      return null;
    }
    Set<TopicPartition> asked = new HashSet<>();
    for (DescribableLogDirTopic topic : topics) {
      for (int number : topic.partitions()) {
        if (number >= 0) {
          asked.add(new TopicPartition(topic.topic(), number));
        }
      }
    }
    return asked;
  }

  private static DescribeLogDirsResult describe(
      short version, LogDirectory directory, @Nullable Set<TopicPartition> asked) {
    DescribeLogDirsResult result =
        new DescribeLogDirsResult()
            .setLogDir(directory.path().toAbsolutePath().toString())
            .setErrorCode(ErrorCode.NONE.code());
    Map<String, DescribeLogDirsTopic> byTopic = new TreeMap<>();
    directory.logs().stream()
        .filter(log -> asked == null || asked.contains(log.topicPartition()))
        .sorted(Comparator.comparingInt(log -> log.topicPartition().partition()))
        .forEach(log -> add(byTopic, log));
    result.setTopics(List.copyOf(byTopic.values()));
    if (version >= FIRST_VERSION_WITH_BYTES) {
      addRoom(result, directory);
    }
    return result;
  }

  private static void add(Map<String, DescribeLogDirsTopic> byTopic, PartitionLog log) {
    TopicPartition name = log.topicPartition();
    byTopic
        .computeIfAbsent(name.topic(), topic -> new DescribeLogDirsTopic().setName(topic))
        .partitions()
        .add(
            new DescribeLogDirsPartition()
                .setPartitionIndex(name.partition())
                .setPartitionSize(log.sizeBytes())
                .setOffsetLag(NO_LAG)
                .setIsFutureKey(false));
  }

  private static void addRoom(DescribeLogDirsResult result, LogDirectory directory) {
    try {
      FileStore disk = Files.getFileStore(directory.path());
      result.setTotalBytes(disk.getTotalSpace()).setUsableBytes(disk.getUsableSpace());
    } catch (IOException e) {
      LOG.warn("room in {} not known: {}", directory.path(), e.toString());
      result.setErrorCode(ErrorCode.KAFKA_STORAGE_ERROR.code());
    }
  }
}
