package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.message.FetchResponse.PartitionData;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client and the broker both know of a series of fetches (KIP-227), so that requests and
 * answers carry only what changes.
 *
 * <p>Partitions are served in the order of the map. One that gave records goes to its end, so that
 * the size limit of the answers starves none of them.
 *
 * <p>Safe for use by several threads: a session belongs to one client, but nothing stops another
 * one from naming it.
 */
final class FetchSession {

  private final int id;
  private final boolean usesTopicIds;
  private final Map<FetchTarget, Entry> entries = new LinkedHashMap<>();
  private int expectedEpoch = 1;
  private long lastUsedNs;

  FetchSession(int id, boolean usesTopicIds, long nowNs) {
    this.id = id;
    this.usesTopicIds = usesTopicIds;
    this.lastUsedNs = nowNs;
  }

  int id() {
    return id;
  }

  /** Fills a new session with the partitions of the full fetch, and what was answered to it. */
  synchronized void begin(List<FetchPartition> partitions, List<PartitionData> results) {
    for (int i = 0; i < partitions.size(); i++) {
      Entry entry = new Entry(partitions.get(i));
      entry.isNews(results.get(i));
      entries.put(partitions.get(i).target(), entry);
    }
  }

  /**
   * Takes a fetch into the session.
   *
   * @param epoch the epoch of the request, counted up by the client with each fetch
   * @return why the fetch does not fit the session, or {@link ErrorCode#NONE}
   */
  synchronized ErrorCode advance(int epoch, boolean byTopicId, long nowNs) {
    if (byTopicId != usesTopicIds) {
      return ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR;
    }
    if (epoch != expectedEpoch) {
      return ErrorCode.INVALID_FETCH_SESSION_EPOCH;
    }
    expectedEpoch = epochAfter(epoch);
    lastUsedNs = nowNs;
    return ErrorCode.NONE;
  }

  /** The epoch of the next fetch; counts from 1 to the largest number and on with 1. */
  static int epochAfter(int epoch) {
    return epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
  }

  /**
   * Adds, changes and removes partitions.
   *
   * @return all partitions then, in the order in which they are served
   */
  synchronized List<FetchPartition> update(
      List<FetchPartition> changed, List<FetchTarget> forgotten) {
    for (FetchPartition partition : changed) {
      Entry entry = entries.get(partition.target());
      if (entry == null) {
        entries.put(partition.target(), new Entry(partition));
      } else {
        entry.wanted = partition;
      }
    }
    forgotten.forEach(entries::remove);
    List<FetchPartition> all = new ArrayList<>(entries.size());
    for (Entry entry : entries.values()) {
      all.add(entry.wanted);
    }
    return all;
  }

  /** Picks the results that the client does not know yet. */
  synchronized void selectNews(
      List<FetchPartition> partitions, List<PartitionData> results, FetchTopics.Grouping news) {
    for (int i = 0; i < results.size(); i++) {
      FetchTarget target = partitions.get(i).target();
      PartitionData result = results.get(i);
      Entry entry = entries.get(target);
      boolean hasRecords = hasRecords(result);
      if (entry == null || entry.isNews(result)) {
        news.add(target, result);
      }
      if (entry != null && hasRecords) {
        entries.remove(target);
        entries.put(target, entry);
      }
    }
  }

  /** The time of the last fetch by the monotonic clock, nanoseconds. */
  synchronized long lastUsedNs() {
    return lastUsedNs;
  }

  private static boolean hasRecords(PartitionData result) {
    @Nullable RecordsData records = result.records();
    return records != null && !records.isEmpty();
  }

  /** A partition of the session and what the client was told of it last. */
  private static final class Entry {

    private FetchPartition wanted;
    private long toldHighWatermark = -1;
    private long toldLogStartOffset = -1;

    Entry(FetchPartition wanted) {
      this.wanted = wanted;
    }

    /** Whether the client must be told of a result; takes it as told. */
    boolean isNews(PartitionData result) {
      boolean news = hasRecords(result);
      if (toldHighWatermark != result.highWatermark()) {
        news = true;
        toldHighWatermark = result.highWatermark();
      }
      if (toldLogStartOffset != result.logStartOffset()) {
        news = true;
        toldLogStartOffset = result.logStartOffset();
      }
      if (result.preferredReadReplica() >= 0 || result.hasDivergingEpoch()) {
        news = true;
      }
      if (result.errorCode() != ErrorCode.NONE.code()) {
        // The end of an error is news too, although the offsets may be the same as before it.
        toldHighWatermark = -1;
        news = true;
      }
      return news;
    }
  }
}
