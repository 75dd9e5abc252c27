package io.weirmq.testkit.storage.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.ProducerSummary;
import io.weirmq.storage.TimestampedOffset;
import io.weirmq.storage.record.BatchCursor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Compares a log with its model, by brute force. */
final class LogChecks {

  private final PartitionLog log;
  private final ModelLog model;
  private final List<ModelBatch> all;
  private final long start;
  private final long end;

  private LogChecks(PartitionLog log, ModelLog model) {
    this.log = log;
    this.model = model;
    this.start = log.logStartOffset();
    this.end = log.logEndOffset();
    this.all = model.upTo(end);
  }

  /** Compares everything that readers can ask. */
  static void check(PartitionLog log, ModelLog model) throws IOException {
    LogChecks checks = new LogChecks(log, model);
    checks.offsets();
    checks.bytes();
    checks.lookups();
    checks.times();
    checks.epochs();
    checks.producers();
    checks.aborts();
  }

  private void offsets() {
    assertThat(log.topicId()).as("topic id").isEqualTo(model.topicId());
    assertThat(end).as("end, at or past the last flush").isGreaterThanOrEqualTo(model.durableEnd());
    assertThat(end).as("end").isLessThanOrEqualTo(Math.max(model.end(), start));
    assertThat(start).as("start").isBetween(model.durableStart(), model.startMax());
    assertThat(log.highWatermark()).as("high watermark").isBetween(start, end);
    boolean whole = all.isEmpty() ? end == start : all.get(all.size() - 1).nextOffset() == end;
    assertThat(whole || end == start).as("end %d is the end of a batch", end).isTrue();
  }

  private void bytes() throws IOException {
    ByteArrayOutputStream found = new ByteArrayOutputStream();
    long next = start;
    while (next < end) {
      byte[] part = read(next, 400, end);
      BatchCursor cursor = new BatchCursor(ByteBuffer.wrap(part));
      long before = next;
      while (cursor.next()) {
        next = cursor.batch().nextOffset();
      }
      assertThat(next).as("progress of reading").isGreaterThan(before);
      found.write(part, 0, cursor.position());
    }
    assertThat(found.toByteArray()).as("bytes").isEqualTo(model.bytes(start, end));
  }

  private byte[] read(long offset, int maxBytes, long limit) throws IOException {
    LogSlice slice = log.read(offset, maxBytes, limit, true);
    try {
      ByteBuffer bytes = ByteBuffer.allocate(slice.lengthBytes());
      slice.readFully(bytes);
      return bytes.array();
    } finally {
      slice.release();
    }
  }

  private void lookups() throws IOException {
    for (ModelBatch batch : all) {
      for (long offset = Math.max(start, batch.baseOffset());
          offset < batch.nextOffset();
          offset++) {
        assertThat(read(offset, 1, end)).as("batch of offset %d", offset).isEqualTo(batch.bytes());
      }
    }
  }

  private void times() throws IOException {
    TreeMap<Long, TimestampedOffset> first = new TreeMap<>();
    Set<Long> asked = new HashSet<>();
    for (int i = all.size() - 1; i >= 0; i--) {
      ModelBatch batch = all.get(i);
      for (int record = batch.timestamps().length - 1; record >= 0; record--) {
        long offset = batch.baseOffset() + record;
        long time = batch.timestamps()[record];
        if (offset >= start) {
          asked.add(time);
          // What comes later in the log and is not above this one is never the first.
          first.headMap(time, true).clear();
          first.put(time, new TimestampedOffset(offset, time, batch.leaderEpoch()));
        }
      }
    }
    for (long time : asked) {
      for (long near = time; near <= time + 1; near++) {
        Map.Entry<Long, TimestampedOffset> expected = first.ceilingEntry(near);
        assertThat(log.findByTimestamp(near, end))
            .as("first record at or above time %d", near)
            .isEqualTo(Optional.ofNullable(expected).map(Map.Entry::getValue));
      }
    }
    assertThat(log.findMaxTimestamp())
        .as("record of the largest time")
        .isEqualTo(Optional.ofNullable(first.lastEntry()).map(Map.Entry::getValue));
  }

  private void epochs() {
    List<ModelBatch> kept = all.stream().filter(batch -> batch.nextOffset() > start).toList();
    for (ModelBatch batch : kept) {
      assertThat(log.epochOfOffset(Math.max(start, batch.baseOffset())))
          .as("epoch of offset %d", batch.baseOffset())
          .isEqualTo(batch.leaderEpoch());
    }
    if (kept.isEmpty()) {
      return;
    }
    int latest = kept.get(kept.size() - 1).leaderEpoch();
    for (ModelBatch batch : kept) {
      int epoch = batch.leaderEpoch();
      long expected =
          kept.stream()
              .filter(later -> later.leaderEpoch() > epoch)
              .mapToLong(ModelBatch::baseOffset)
              .findFirst()
              .orElse(end);
      assertThat(log.endOffsetOfEpoch(epoch, latest).endOffset())
          .as("end of epoch %d", epoch)
          .isEqualTo(expected);
    }
    assertThat(log.latestEpoch()).as("latest epoch").isGreaterThanOrEqualTo(latest);
  }

  /** Replays of all batches, and of all suffixes that have every batch above the log start. */
  private List<ModelProducers> replays() {
    List<ModelProducers> replays = new ArrayList<>();
    for (int from = 0; from <= all.size(); from++) {
      replays.add(ModelProducers.of(all.subList(from, all.size())));
      if (from == all.size() || all.get(from).nextOffset() > start) {
        break;
      }
    }
    return replays;
  }

  /** Checks the last stable offset of a log whose high watermark is its end. */
  static void checkStable(PartitionLog log, ModelLog model) {
    LogChecks checks = new LogChecks(log, model);
    assertThat(log.lastStableOffset())
        .as("last stable offset of %s", log)
        .isIn(
            checks.replays().stream()
                .map(
                    producers ->
                        Math.max(checks.start, Math.min(checks.end, producers.firstOpen())))
                .toList());
  }

  /**
   * Of a producer all of whose batches are above the log start exactly the replay is known. Of
   * others what a replay gives that begins at any batch at or below the start; or nothing, where
   * none is above it.
   */
  private void producers() {
    Map<Long, Set<ProducerSummary>> allowed = new TreeMap<>();
    Set<Long> required = new HashSet<>();
    for (ModelBatch batch : all) {
      if (batch.producerId() >= 0 && batch.nextOffset() > start) {
        required.add(batch.producerId());
      }
    }
    for (ModelProducers replay : replays()) {
      replay
          .producers()
          .forEach((id, state) -> allowed.computeIfAbsent(id, k -> new HashSet<>()).add(state));
    }
    Set<Long> found = new HashSet<>();
    for (ProducerSummary producer : log.producers()) {
      found.add(producer.producerId());
      assertThat(allowed.getOrDefault(producer.producerId(), Set.of()))
          .as("states that producer %d may have", producer.producerId())
          .contains(producer);
    }
    assertThat(found).as("producers").containsAll(required);
  }

  private void aborts() throws IOException {
    List<ModelProducers.Aborted> aborted = ModelProducers.of(all).aborted();
    long step = Math.max(1, (end - start) / 7);
    for (long from = start; from < end; from += step) {
      for (long to = from + 1; to <= end; to += step) {
        long low = from;
        long high = to;
        List<AbortedTransaction> found = log.abortedTransactions(low, high);
        for (ModelProducers.Aborted expected : aborted) {
          if (expected.firstOffset() >= start
              && expected.markerOffset() >= low
              && expected.firstOffset() < high) {
            assertThat(found)
                .as("aborted transactions of %d..%d have %s", low, high, expected)
                .anyMatch(
                    entry ->
                        entry.producerId() == expected.producerId()
                            && entry.firstOffset() == expected.firstOffset()
                            && entry.lastOffset() == expected.markerOffset());
          }
        }
        for (AbortedTransaction entry : found) {
          assertThat(aborted)
              .as("%s of %d..%d was aborted", entry, low, high)
              .anyMatch(
                  expected ->
                      expected.producerId() == entry.producerId()
                          && expected.markerOffset() == entry.lastOffset());
        }
      }
    }
  }
}
