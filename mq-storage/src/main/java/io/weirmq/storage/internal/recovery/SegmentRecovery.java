package io.weirmq.storage.internal.recovery;

import io.weirmq.index.OffsetIndex;
import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.epoch.EpochStart;
import io.weirmq.storage.internal.log.SegmentCheckpoint;
import io.weirmq.storage.internal.log.TransactionIndexRepair;
import io.weirmq.storage.internal.producer.CompletedTransaction;
import io.weirmq.storage.internal.producer.ProducerStates;
import io.weirmq.storage.internal.segment.BatchChecksum;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentCut;
import io.weirmq.storage.internal.segment.SegmentRewrite;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a segment from its start, or from a checkpoint inside of it, finds where its last whole and
 * valid batch ends, cuts what follows and makes the derived files anew. Confined to one thread.
 */
final class SegmentRecovery {

  private static final Logger LOG = LoggerFactory.getLogger(SegmentRecovery.class);

  private final Segment segment;
  private final ProducerStates producers;
  private final List<EpochStart> epochs;
  private final long recoveryPoint;
  private final List<AbortedTransaction> aborted = new ArrayList<>();

  private @Nullable SegmentCheckpoint checkpoint;
  private long nextOffset;
  private int position;

  /** Behind the last batch that lies below the recovery point. */
  private int inDoubtFrom;

  /**
   * Prepares a recovery.
   *
   * @param producers at the segment's base offset; brought up to its end
   * @param epochs rising; those that begin in the segment are added
   * @param recoveryPoint offset below which all was on the disk, so that a damaged batch is no
   *     trace of the crash: it stays, and costs nothing of what follows
   */
  SegmentRecovery(
      Segment segment, ProducerStates producers, List<EpochStart> epochs, long recoveryPoint) {
    this.recoveryPoint = recoveryPoint;
    this.segment = segment;
    this.producers = producers;
    this.epochs = epochs;
    this.nextOffset = segment.baseOffset();
  }

  /**
   * Begins behind a checkpoint instead of at the segment's start. Before {@link #scan}.
   *
   * @param believed of this segment, whose indexes were cut to it; the producers and epochs are at
   *     its offset
   */
  void beginBehind(SegmentCheckpoint believed) {
    checkpoint = believed;
    nextOffset = believed.offset();
    position = believed.position();
    inDoubtFrom = position;
  }

  /**
   * Looks for the end of the last valid batch; no file is changed.
   *
   * @return the bytes behind it
   * @throws StorageException where the disk refuses
   */
  int scan(BatchWalker walker) throws StorageException {
    int size = segment.sizeBytes();
    OpenSegment holder = segment.retain();
    try {
      readBatches(holder, walker, size);
    } catch (IOException e) {
      throw e instanceof StorageException known
          ? known
          : new StorageException("%s can't be read: %s".formatted(segment, e), e);
    } finally {
      holder.release();
    }
    return size - position;
  }

  /**
   * Cuts off what the scan has found behind the last valid batch, durably, and makes the derived
   * files anew.
   *
   * @throws StorageException where the disk refuses
   */
  void cut() throws StorageException {
    SegmentCheckpoint begin = checkpoint;
    if (begin == null) {
      SegmentCut.recovered(segment, position, aborted);
    } else {
      SegmentCut.recoveredBehind(
          segment,
          begin.position(),
          begin.offset(),
          begin.indexes(),
          begin.abortedCount(),
          position,
          aborted);
    }
  }

  /**
   * Writes the batches behind the recovery point again. After {@link #cut}.
   *
   * @throws StorageException where the disk refuses
   */
  void writeAgain() throws StorageException {
    SegmentRewrite.from(segment, inDoubtFrom);
  }

  /** The offset behind the last valid batch. */
  long nextOffset() {
    return nextOffset;
  }

  private void readBatches(OpenSegment holder, BatchWalker walker, int size) throws IOException {
    BatchChecksum checksum = new BatchChecksum(holder.log());
    walker.begin(holder.log(), position, size);
    while (walker.tryNext()) {
      String damage = damage(walker, checksum);
      if (damage == null) {
        take(walker);
      } else if (isOnDisk(walker.batch())) {
        stepOver(holder, walker, damage);
      } else {
        LOG.info("{} at position {}: {}", holder.log().path(), walker.position(), damage);
        break;
      }
    }
    if (position < size) {
      LOG.warn(
          "{}: {} bytes from position {} on are no whole, valid batch and are cut off; the log ends"
              + " at offset {}",
          holder.log().path(),
          size - position,
          position,
          nextOffset);
    }
  }

  /** Whether a damaged batch was on the disk whole, as far as its header can be believed. */
  private boolean isOnDisk(RecordBatch batch) {
    return batch.lastOffset() < recoveryPoint
        && batch.lastOffset() >= batch.baseOffset()
        && batch.baseOffset() >= nextOffset;
  }

  private void stepOver(OpenSegment holder, BatchWalker walker, String damage) {
    LOG.error(
        "{} at position {}: {}; the batch with offsets {} to {} lies below the recovery point {} and"
            + " stays as it is",
        holder.log().path(),
        walker.position(),
        damage,
        walker.batch().baseOffset(),
        walker.batch().lastOffset(),
        recoveryPoint);
    moveBehind(walker);
  }

  private @Nullable String damage(BatchWalker walker, BatchChecksum checksum) throws IOException {
    RecordBatch batch = walker.batch();
    if (batch.baseOffset() < nextOffset) {
      return "base offset is %d; expected at least %d".formatted(batch.baseOffset(), nextOffset);
    }
    if (!OffsetIndex.fits(segment.baseOffset(), batch.lastOffset())) {
      // The checksum doesn't cover the offset.
      return "last offset is %d; a segment from %d on has %d at most"
          .formatted(
              batch.lastOffset(), segment.baseOffset(), segment.baseOffset() + Integer.MAX_VALUE);
    }
    int computed = checksum.of(walker.position(), batch.sizeInBytes());
    return computed == batch.crc()
        ? null
        : "checksum mismatch: expected 0x%08x (stored), computed 0x%08x over %d bytes"
            .formatted(
                batch.crc(), computed, batch.sizeInBytes() - RecordBatch.ATTRIBUTES_POSITION);
  }

  private void take(BatchWalker walker) throws StorageException {
    RecordBatch batch = walker.batch();
    noteEpoch(batch);
    if (batch.hasProducerId()) {
      Optional<CompletedTransaction> completed =
          producers.replay(batch.isControl() ? walker.readWhole() : batch);
      completed.filter(CompletedTransaction::aborted).ifPresent(this::noteAborted);
    }
    moveBehind(walker);
  }

  private void moveBehind(BatchWalker walker) {
    nextOffset = walker.batch().nextOffset();
    position = walker.nextPosition();
    if (nextOffset <= recoveryPoint) {
      inDoubtFrom = position;
    }
  }

  private void noteEpoch(RecordBatch batch) {
    int epoch = batch.partitionLeaderEpoch();
    if (epoch >= 0 && (epochs.isEmpty() || epochs.get(epochs.size() - 1).epoch() < epoch)) {
      epochs.add(new EpochStart(epoch, batch.baseOffset()));
    }
  }

  private void noteAborted(CompletedTransaction completed) {
    aborted.add(TransactionIndexRepair.entry(producers, completed));
  }
}
