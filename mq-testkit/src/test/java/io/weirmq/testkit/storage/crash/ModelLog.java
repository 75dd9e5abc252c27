package io.weirmq.testkit.storage.crash;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What a log has been told, and what of it must survive.
 *
 * <p>The batches are all that were appended since the log was made, also those below the log start.
 */
final class ModelLog {

  private final UUID topicId;
  private List<ModelBatch> batches = new ArrayList<>();
  private long base;
  private int written;
  private long durableEnd;
  private long start;
  private long startMax;
  private long durableStart;
  private boolean createdForSure;
  private boolean deletionTried;

  ModelLog(UUID topicId) {
    this.topicId = topicId;
  }

  UUID topicId() {
    return topicId;
  }

  /** Notes a batch that may be in the log from now on. */
  void stage(ModelBatch batch) {
    batches.add(batch);
  }

  /** What was staged is in the log. */
  void commit() {
    written = batches.size();
  }

  /** The offset behind the last batch, of those that are only staged too. */
  long end() {
    return batches.isEmpty() ? base : batches.get(batches.size() - 1).nextOffset();
  }

  List<ModelBatch> batches() {
    return batches;
  }

  /** Whether batches are staged and not committed. */
  boolean isStaged() {
    return written < batches.size();
  }

  long start() {
    return start;
  }

  /** The log start may be as high as this from now on. */
  void startMayBe(long offset) {
    startMax = Math.max(startMax, offset);
  }

  /** The log start is this, in memory at least. */
  void startIs(long offset) {
    start = offset;
    startMax = offset;
  }

  void startIsDurable() {
    durableStart = start;
  }

  /** All is durable; of a log without records its being there is not. */
  void flushed() {
    durableEnd = end();
    createdForSure |= end() > 0;
  }

  long durableEnd() {
    return durableEnd;
  }

  long durableStart() {
    return durableStart;
  }

  long startMax() {
    return startMax;
  }

  /** From now on records at and behind an offset may be gone. */
  void endMayBe(long offset) {
    durableEnd = Math.min(durableEnd, offset);
    durableStart = Math.min(durableStart, offset);
  }

  /** Records at and behind an offset are gone. */
  void endIs(long offset) {
    batches = new ArrayList<>(upTo(offset));
    written = batches.size();
    endMayBe(offset);
  }

  boolean isCreatedForSure() {
    return createdForSure && !deletionTried;
  }

  void deletionTried() {
    deletionTried = true;
  }

  /** Begins a life with what recovery has found. */
  void recovered(long newStart, long newEnd, boolean allDurable) {
    endIs(newEnd);
    if (end() < newEnd) {
      // What was left ended below the start, and the log begins anew there.
      batches.clear();
      base = newEnd;
      written = 0;
    }
    startIs(newStart);
    createdForSure |= allDurable;
    deletionTried = false;
    if (allDurable) {
      durableEnd = newEnd;
      durableStart = newStart;
    }
  }

  /** The batches that end at or below an offset. */
  List<ModelBatch> upTo(long offset) {
    return batches.stream().filter(batch -> batch.nextOffset() <= offset).toList();
  }

  /** The bytes of the batches that hold offsets of a range. */
  byte[] bytes(long from, long to) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    batches.stream()
        .filter(batch -> from < to)
        .filter(batch -> batch.nextOffset() > from && batch.baseOffset() < to)
        .forEach(batch -> bytes.writeBytes(batch.bytes()));
    return bytes.toByteArray();
  }
}
