package io.weirmq.server.internal.group;

import io.weirmq.server.internal.group.offsets.GroupOffsets;
import io.weirmq.server.internal.group.records.GroupMetadata;
import io.weirmq.server.internal.group.records.GroupRecord;
import io.weirmq.server.internal.group.records.GroupRecord.GroupRemoved;
import io.weirmq.server.internal.group.records.GroupRecord.GroupStored;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetCommitted;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetRemoved;
import io.weirmq.server.internal.group.records.GroupRecord.Unknown;
import io.weirmq.server.internal.group.records.GroupRecordCodec;
import io.weirmq.server.internal.group.records.MalformedGroupRecordException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a partition of {@code __consumer_offsets} says, read from its start to its end: the last
 * record of a key counts. Confined to one thread: the reader's, then the coordinator's.
 *
 * <p>A record that can't be understood is reported and passed over; the groups of all others must
 * not suffer for it.
 */
final class LoadedShard implements OffsetsLog.Visitor {

  /** Most records that are reported one by one; the others are only counted. */
  private static final int REPORTS_MAX = 10;

  private static final Logger LOG = LoggerFactory.getLogger(LoadedShard.class);

  private final int partition;
  private final Map<String, GroupMetadata> groups = new HashMap<>();
  private final Map<String, GroupOffsets> offsets = new HashMap<>();
  private final Map<Short, Long> unknownKeyTypeCounts = new TreeMap<>();
  private long recordCount;
  private long unreadableCount;

  LoadedShard(int partition) {
    this.partition = partition;
  }

  @Override
  public void onRecord(long offset, @Nullable ByteBuffer key, @Nullable ByteBuffer value) {
    recordCount++;
    if (key == null) {
      reportUnreadable(offset, "the record has no key");
      return;
    }
    try {
      apply(GroupRecordCodec.decode(key, value));
    } catch (MalformedGroupRecordException e) {
      reportUnreadable(offset, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void onUnreadableBatch(long offset, String problem) {
    reportUnreadable(offset, problem);
  }

  private void reportUnreadable(long offset, String problem) {
    unreadableCount++;
    if (unreadableCount <= REPORTS_MAX) {
      LOG.error("__consumer_offsets-{} at offset {}: {}; passed over", partition, offset, problem);
    }
  }

  private void apply(GroupRecord record) {
    if (record instanceof OffsetCommitted committed) {
      offsets
          .computeIfAbsent(committed.groupId(), groupId -> new GroupOffsets())
          .put(committed.partition(), committed.offset());
    } else if (record instanceof OffsetRemoved removed) {
      GroupOffsets ofGroup = offsets.get(removed.groupId());
      if (ofGroup != null) {
        ofGroup.remove(removed.partition());
        if (ofGroup.isEmpty()) {
          offsets.remove(removed.groupId());
        }
      }
    } else if (record instanceof GroupStored stored) {
      groups.put(stored.metadata().groupId(), stored.metadata());
    } else if (record instanceof GroupRemoved removed) {
      groups.remove(removed.groupId());
    } else if (record instanceof Unknown unknown) {
      unknownKeyTypeCounts.merge(unknown.keyType(), 1L, Long::sum);
    }
  }

  /** Says in one line what was found. */
  void report() {
    if (recordCount > 0 || unreadableCount > 0) {
      LOG.info(
          "Read {} records of __consumer_offsets-{}: {} groups, offsets of {} groups",
          recordCount,
          partition,
          groups.size(),
          offsets.size());
    }
    if (unreadableCount > 0) {
      LOG.error(
          "__consumer_offsets-{}: {} records or batches could not be read and were passed over",
          partition,
          unreadableCount);
    }
    if (!unknownKeyTypeCounts.isEmpty()) {
      LOG.warn(
          "__consumer_offsets-{}: passed over records of kinds that are not known here"
              + " (key type = count): {}",
          partition,
          unknownKeyTypeCounts);
    }
  }

  /** The groups that have a record. */
  Collection<GroupMetadata> groups() {
    return groups.values();
  }

  /** The offsets by group. */
  Map<String, GroupOffsets> offsets() {
    return offsets;
  }

  /** The number of records and batches that could not be read. */
  long unreadableCount() {
    return unreadableCount;
  }
}
