package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.TransactionIndexRecord;
import io.weirmq.storage.internal.segment.TransactionIndexRecordFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers what is in the transaction indexes of a log: when a segment is sealed, when the log is
 * put to rest, after compaction, and at a clean stop. A log without aborted transactions costs
 * nothing. Confined to the log's writer.
 *
 * <p>It need not be durable before anything else, and a failure to write it is none of the log: an
 * old record makes an index anew that was right, at most.
 */
final class TransactionIndexRecords {

  private static final Logger LOG = LoggerFactory.getLogger(TransactionIndexRecords.class);

  private final TransactionIndexRecordFile file;

  /** What the file holds, null where that is not known. */
  private @Nullable List<TransactionIndexRecord> written;

  private boolean durable;

  TransactionIndexRecords(LogIdentity identity) {
    this.file = new TransactionIndexRecordFile(identity.environment().files(), identity.folder());
  }

  /** Remembers what is there now; a power cut may take it back. */
  void remember(SegmentList segments) {
    remember(segments, false);
  }

  /** Remembers what is there now, durably. */
  void rememberDurably(SegmentList segments) {
    remember(segments, true);
  }

  private void remember(SegmentList segments, boolean durably) {
    try {
      List<TransactionIndexRecord> records = records(segments);
      if (records.isEmpty() && written == null) {
        return; // Lines of segments that are gone do no harm.
      }
      if (records.equals(known()) && (durable || !durably)) {
        return;
      }
      written = null;
      file.write(records, durably);
      written = records;
      durable = durably;
    } catch (StorageException e) {
      LOG.warn(
          "{} stays an earlier one, so that a transaction index that gets lost may not be missed: {}",
          file,
          e.getMessage());
    }
  }

  private List<TransactionIndexRecord> known() throws StorageException {
    List<TransactionIndexRecord> now = written;
    if (now == null) {
      StateReading<List<TransactionIndexRecord>> found = file.read();
      now = found.isWhole() ? found.value() : List.of();
      written = now;
      durable = true; // As a rule a stop wrote it; that it may have been a roll does little harm.
    }
    return now;
  }

  private static List<TransactionIndexRecord> records(SegmentList segments)
      throws StorageException {
    List<TransactionIndexRecord> records = new ArrayList<>();
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      if (segment.transactions().exists()) {
        recordOf(segment).ifPresent(records::add);
      }
    }
    return records;
  }

  private static Optional<TransactionIndexRecord> recordOf(Segment segment)
      throws StorageException {
    @Nullable TransactionIndexRecord known = segment.transactions().record();
    if (known != null) {
      return Optional.of(known);
    }
    Optional<TransactionIndexRecord> found =
        segment.transactions().index().record(segment.baseOffset());
    found.ifPresent(segment.transactions()::record);
    return found;
  }
}
