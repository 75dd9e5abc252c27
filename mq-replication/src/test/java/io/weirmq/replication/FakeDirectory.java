package io.weirmq.replication;

import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A data folder that holds fake logs in memory. */
final class FakeDirectory implements LogDirectory {

  final Map<TopicPartition, FakeLog> byName = new HashMap<>();
  final List<FakeLog> deleted = new ArrayList<>();
  final List<FakeLog> setAside = new ArrayList<>();
  boolean full;
  @Nullable StorageException failure;

  FakeLog put(FakeLog log) {
    byName.put(log.topicPartition(), log);
    return log;
  }

  @Override
  public Path path() {
    return Path.of("fake");
  }

  @Override
  public UUID directoryId() {
    return new UUID(1, 1);
  }

  @Override
  public List<PartitionLog> logs() {
    return List.copyOf(byName.values());
  }

  @Override
  public Optional<PartitionLog> log(TopicPartition partition) {
    return Optional.ofNullable(byName.get(partition));
  }

  @Override
  public Optional<StorageException> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public PartitionLog create(TopicPartition partition, UUID topicId, LogConfig config)
      throws StorageException {
    if (full) {
      throw new StorageException("no space left for " + partition);
    }
    if (byName.containsKey(partition)) {
      throw new StorageException("folder " + partition + " exists");
    }
    return put(new FakeLog(partition, topicId, config));
  }

  @Override
  public void delete(TopicPartition partition) {
    FakeLog log = byName.remove(partition);
    if (log != null) {
      deleted.add(log);
    }
  }

  @Override
  public Path setAside(TopicPartition partition) {
    FakeLog log = byName.remove(partition);
    if (log != null) {
      setAside.add(log);
    }
    return path().resolve(partition + "-stray");
  }

  @Override
  public void writeCheckpoints() {}

  @Override
  public void purgeDeleted(long nowMs) {}

  @Override
  public void close() {}
}
