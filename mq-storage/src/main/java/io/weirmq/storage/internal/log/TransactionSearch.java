package io.weirmq.storage.internal.log;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.Segment;
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
    SegmentList segments = state.segments();
    List<AbortedTransaction> found = new ArrayList<>();
    for (int i = segments.floorIndex(fromOffset); i < segments.size(); i++) {
      if (!collect(segments.get(i), fromOffset, toOffset, found)) {
        break;
      }
    }
    found.sort(Comparator.comparingLong(AbortedTransaction::firstOffset));
    return found;
  }

  private static boolean collect(
      Segment segment, long fromOffset, long toOffset, List<AbortedTransaction> found)
      throws StorageException {
    if (!segment.hasTransactionIndex()) {
      return true;
    }
    return segment
        .transactionIndex()
        .visit(
            entry -> {
              if (entry.lastOffset() >= fromOffset && entry.firstOffset() < toOffset) {
                found.add(entry);
              }
              // All that began below the range's end was decided when this marker was written.
              return entry.lastStableOffset() < toOffset;
            });
  }
}
