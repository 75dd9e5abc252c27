package io.weirmq.storage.internal.recovery;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.log.LogIdentity;
import io.weirmq.storage.internal.log.SegmentCheckpoint;
import io.weirmq.storage.internal.log.SegmentCheckpointFile;
import io.weirmq.storage.internal.log.SegmentList;
import io.weirmq.storage.internal.segment.BatchChecksum;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentCut;
import io.weirmq.storage.internal.segment.SegmentReading;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether recovery begins inside a segment, behind its {@link SegmentCheckpoint}.
 *
 * <p>It does where the batch in front of that point, the three indexes, and the leader epochs are
 * what the checkpoint says. Where one of them is not, or the recovery point isn't known, the
 * checkpoint is removed, durably and before anything is cut, and recovery begins at a segment's
 * start. Confined to one thread.
 */
final class CheckpointedStart {

  private static final Logger LOG = LoggerFactory.getLogger(CheckpointedStart.class);

  private final LogIdentity identity;
  private final LoadOptions options;
  private final SegmentCheckpointFile file;
  private final @Nullable SegmentCheckpoint checkpoint;

  private CheckpointedStart(
      LogIdentity identity,
      LoadOptions options,
      SegmentCheckpointFile file,
      @Nullable SegmentCheckpoint checkpoint) {
    this.identity = identity;
    this.options = options;
    this.file = file;
    this.checkpoint = checkpoint;
  }

  /**
   * Reads the checkpoint of a log.
   *
   * @param contents where it has no such file, none is opened
   * @throws StorageException where the disk refuses
   */
  static CheckpointedStart read(LogIdentity identity, LoadOptions options, FolderContents contents)
      throws StorageException {
    SegmentCheckpointFile file =
        new SegmentCheckpointFile(identity.environment().files(), identity.folder());
    SegmentCheckpoint checkpoint =
        contents.hasSegmentCheckpoint() ? file.read().orElse(null) : null;
    return new CheckpointedStart(identity, options, file, checkpoint);
  }

  /** Whether the checkpoint tells of batches behind the recovery point. */
  boolean isAboveRecoveryPoint() {
    return checkpoint != null && checkpoint.offset() > options.recoveryPoint();
  }

  /**
   * Returns the checkpoint where recovery may begin there; its indexes are cut to it then.
   *
   * @param hasFailedForce whether what lies behind the recovery point has to be written again
   * @throws StorageException where the disk refuses
   */
  Optional<SegmentCheckpoint> find(
      SegmentList segments, LeaderEpochs epochs, boolean hasFailedForce) throws StorageException {
    SegmentCheckpoint found = checkpoint;
    if (found == null) {
      return Optional.empty();
    }
    int first = segments.floorIndex(Math.max(0, options.recoveryPoint()));
    if (found.baseOffset() < segments.get(first).baseOffset()) {
      return Optional.empty(); // the recovery point is in a later segment
    }
    String doubt = hasFailedForce ? "a force has failed" : doubt(found, segments, epochs);
    if (doubt == null) {
      LOG.debug("{} is recovered from offset {} on", identity.partition(), found.offset());
      return Optional.of(found);
    }
    LOG.info(
        "{}: {} is not believed, recovery begins at a segment's start: {}",
        identity.partition(),
        file,
        doubt);
    file.delete();
    return Optional.empty();
  }

  private @Nullable String doubt(SegmentCheckpoint found, SegmentList segments, LeaderEpochs epochs)
      throws StorageException {
    if (!options.recoveryPointKnown()) {
      return "the recovery point is not known";
    }
    Segment segment = segments.get(segments.floorIndex(found.offset() - 1));
    if (segment.baseOffset() != found.baseOffset()) {
      return "the log has no segment from %d to %d".formatted(found.baseOffset(), found.offset());
    }
    int lastEpoch = SegmentCheckpoint.lastEpochBelow(epochs.entries(), found.offset());
    if (!epochs.damages().isEmpty() || lastEpoch != found.leaderEpoch()) {
      return "the last leader epoch is %d; expected %d".formatted(lastEpoch, found.leaderEpoch());
    }
    if (!endsWithBatch(segment, found)) {
      return "no batch from position %d to %d ends before offset %d"
          .formatted(found.lastBatchPosition(), found.position(), found.offset());
    }
    if (!hasTransactions(segment, found)) {
      return "the transaction index is another one";
    }
    return SegmentCut.indexesTo(segment, found.indexes()) ? null : "the indexes are others";
  }

  private boolean endsWithBatch(Segment segment, SegmentCheckpoint found) throws StorageException {
    int from = found.lastBatchPosition();
    if (from < 0 || found.position() > segment.sizeBytes()) {
      return false;
    }
    try (SegmentReading reading = SegmentReading.of(segment)) {
      OpenSegment holder = reading.holder();
      BatchWalker walker = reading.walker();
      walker.begin(holder.log(), from, found.position());
      if (!walker.tryNext()) {
        return false;
      }
      RecordBatch batch = walker.batch();
      return walker.nextPosition() == found.position()
          && batch.nextOffset() == found.offset()
          && batch.crc() == found.lastBatchCrc()
          && batch.crc() == new BatchChecksum(holder.log()).of(from, batch.sizeInBytes());
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException("%s can't be read: %s".formatted(segment, e), e);
    }
  }

  private boolean hasTransactions(Segment segment, SegmentCheckpoint found)
      throws StorageException {
    int count = found.abortedCount();
    return segment.transactions().index().entryCount() >= count
        && segment.transactions().index().checksum(count) == found.abortedChecksum();
  }
}
