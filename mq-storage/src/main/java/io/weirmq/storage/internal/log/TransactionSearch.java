package io.weirmq.storage.internal.log;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.TransactionIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the aborted transactions of a range. Safe for use by several threads. */
final class TransactionSearch {

  private final LogState state;

  TransactionSearch(LogState state) {
    this.state = state;
  }

  List<AbortedTransaction> find(long fromOffset, long toOffset) throws StorageException {
    int cuts = state.cuts();
    SegmentList segments = state.segments();
    List<AbortedTransaction> found = new ArrayList<>();
    for (int i = segments.floorIndex(fromOffset); i < segments.size(); i++) {
      if (!collect(segments, i, cuts, fromOffset, toOffset, found)) {
        break;
      }
    }
    found.sort(Comparator.comparingLong(AbortedTransaction::firstOffset));
    return found;
  }

  /** Returns whether the next segment is to be looked at, too. */
  private boolean collect(
      SegmentList segments,
      int index,
      int cuts,
      long fromOffset,
      long toOffset,
      List<AbortedTransaction> found)
      throws StorageException {
    Segment segment = segments.get(index);
    if (!segment.transactions().exists()) {
      return true;
    }
    state.transactionRepair().ensureSound(segments, index);
    int before = found.size();
    try {
      return collect(segment, fromOffset, toOffset, found);
    } catch (TransactionIndex.MissingException | TransactionIndex.DamagedException e) {
      if (segment.isRemoved()) {
        return true;
      }
      if (cuts != state.cuts() || segment.isActive()) {
        // Looked for again, or its writer's: what that adds must not be lost.
        throw e;
      }
      // It was right before: somebody else has taken it away, or the disk has.
      found.subList(before, found.size()).clear();
      segment.transactions().doubt();
      state.transactionRepair().ensureSound(segments, index);
      return collect(segment, fromOffset, toOffset, found);
    }
  }

  private static boolean collect(
      Segment segment, long fromOffset, long toOffset, List<AbortedTransaction> found)
      throws StorageException {
    if (!segment.transactions().exists()) {
      return true;
    }
    return segment
        .transactions()
        .index()
        .visitExisting(
            entry -> {
              if (entry.lastOffset() >= fromOffset && entry.firstOffset() < toOffset) {
                found.add(entry);
              }
              // All that began below the range's end was decided when this marker was written.
              return entry.lastStableOffset() < toOffset;
            });
  }
}
