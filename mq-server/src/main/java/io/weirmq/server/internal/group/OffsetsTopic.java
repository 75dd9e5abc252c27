package io.weirmq.server.internal.group;

import io.weirmq.replication.ReplicaPlacement;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.replication.metadata.MetadataChangeException;
import io.weirmq.replication.metadata.MetadataChangeException.Reason;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes {@code __consumer_offsets} when a client first asks who coordinates its group. Safe for use
 * by several threads.
 *
 * <p>Where fewer brokers are alive than the topic is to have replicas, it gets as many as there
 * are: a lone broker serves groups without being configured for it.
 */
public final class OffsetsTopic {

  private static final Logger LOG = LoggerFactory.getLogger(OffsetsTopic.class);

  private final Settings settings;
  private final MetadataStore metadata;
  private final Supplier<UUID> topicIds;

  /**
   * Settings of the topic. Immutable.
   *
   * @param partitionCount {@code offsets.topic.num.partitions}, above 0
   * @param replicationFactor {@code offsets.topic.replication.factor}, above 0
   * @param segmentBytes {@code offsets.topic.segment.bytes}, above 0
   */
  public record Settings(int partitionCount, int replicationFactor, int segmentBytes) {

    /** Kafka's defaults: 50 partitions, 3 replicas, 100 MiB. */
    public static final Settings DEFAULTS = new Settings(50, 3, 100 * 1024 * 1024);

    /** Checks the values. */
    public Settings {
      if (partitionCount < 1 || replicationFactor < 1 || segmentBytes < 1) {
        throw new IllegalArgumentException(
            "offsets.topic.num.partitions = %d, offsets.topic.replication.factor = %d, offsets.topic.segment.bytes = %d: expected 1 or more each"
                .formatted(partitionCount, replicationFactor, segmentBytes));
      }
    }

    /** The configurations that the topic is made with. */
    public Map<String, String> configs() {
      return Map.of(
          "cleanup.policy",
          "compact",
          "compression.type",
          "producer",
          "segment.bytes",
          Integer.toString(segmentBytes));
    }
  }

  /**
   * Makes the maker.
   *
   * @param topicIds gives an id that no topic had before
   */
  public OffsetsTopic(Settings settings, MetadataStore metadata, Supplier<UUID> topicIds) {
    this.settings = settings;
    this.metadata = metadata;
    this.topicIds = topicIds;
  }

  /** The number of partitions that the topic has; 0 while it does not exist. */
  public int partitionCount() {
    return metadata
        .image()
        .topic(GroupPartitions.TOPIC)
        .map(topic -> topic.partitions().size())
        .orElse(0);
  }

  /**
   * Makes the topic where it does not exist.
   *
   * @return completes with an image that has it; fails where it can't be made
   */
  public CompletionStage<MetadataImage> ensureExists() {
    MetadataImage image = metadata.image();
    if (image.topic(GroupPartitions.TOPIC).isPresent()) {
      return CompletableFuture.completedFuture(image);
    }
    List<Integer> brokers = List.copyOf(image.brokers().keySet());
    if (brokers.isEmpty()) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("no broker is registered that could hold groups"));
    }
    int replicas = Math.min(settings.replicationFactor(), brokers.size());
    List<List<Integer>> placement =
        new ReplicaPlacement(brokers).place(0, settings.partitionCount(), replicas, 0);
    CreateTopic change =
        new CreateTopic(GroupPartitions.TOPIC, topicIds.get(), placement, settings.configs());
    return metadata.apply(change).handle(this::created).thenCompose(stage -> stage);
  }

  private CompletionStage<MetadataImage> created(
      @Nullable MetadataImage image, @Nullable Throwable failure) {
    if (failure == null && image != null) {
      LOG.info(
          "Topic {} is made with {} partitions", GroupPartitions.TOPIC, settings.partitionCount());
      return CompletableFuture.completedFuture(image);
    }
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof MetadataChangeException change && change.reason() == Reason.TOPIC_EXISTS) {
      // Another client asked at the same time.
      return CompletableFuture.completedFuture(metadata.image());
    }
    return CompletableFuture.failedFuture(
        cause == null ? new IllegalStateException("the metadata store gave no image") : cause);
  }
}
