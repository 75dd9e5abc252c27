package io.weirmq.server.internal.offsetslog;

import io.weirmq.replication.Partition;
import io.weirmq.server.internal.group.GroupPartitions;
import io.weirmq.server.internal.group.OffsetsLog;
import io.weirmq.server.internal.group.OffsetsLogException;
import io.weirmq.server.internal.group.records.KeyValue;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The group coordinator's log in the partitions of this broker. Safe for use by several threads.
 */
public final class PartitionOffsetsLog implements OffsetsLog {

  private final PartitionLookup lookup;
  private final InstantSource wall;
  private final Executor readers;
  private final Map<Integer, OrderedAppends> appends = new ConcurrentHashMap<>();

  /**
   * Makes the log.
   *
   * @param wall time of day, for the timestamps of records
   * @param readers runs the reading of partitions, which may take long
   */
  public PartitionOffsetsLog(PartitionLookup lookup, InstantSource wall, Executor readers) {
    this.lookup = lookup;
    this.wall = wall;
    this.readers = readers;
  }

  @Override
  public CompletionStage<@Nullable Void> append(int partition, List<KeyValue> records) {
    Optional<Partition> found = lookup.find(GroupPartitions.TOPIC, partition);
    if (found.isEmpty()) {
      return CompletableFuture.failedFuture(absent(partition));
    }
    long nowMs = wall.millis();
    RecordBatchBuilder builder = new RecordBatchBuilder();
    for (KeyValue record : records) {
      builder.append(nowMs, record.key(), record.value());
    }
    return appendsTo(partition, found.get()).append(builder.build());
  }

  @Override
  public CompletionStage<@Nullable Void> load(int partition, Visitor visitor) {
    return CompletableFuture.runAsync(() -> read(partition, visitor), readers);
  }

  private void read(int partition, Visitor visitor) {
    Partition found =
        lookup
            .find(GroupPartitions.TOPIC, partition)
            .orElseThrow(() -> new CompletionException(absent(partition)));
    try {
      new LogScan(found.log(), visitor).run();
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private OrderedAppends appendsTo(int number, Partition partition) {
    OrderedAppends known = appends.get(number);
    if (known != null && known.partition() == partition) {
      return known;
    }
    // The topic was made anew: what waits for the old partition is answered by it.
    return appends.compute(
        number,
        (key, present) ->
            present != null && present.partition() == partition
                ? present
                : new OrderedAppends(partition));
  }

  private OffsetsLogException absent(int partition) {
    return new OffsetsLogException(
        lookup.whyAbsent(GroupPartitions.TOPIC, partition),
        "%s-%d is not on this broker".formatted(GroupPartitions.TOPIC, partition));
  }
}
