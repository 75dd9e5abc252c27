package io.weirmq.storage.internal.segment;

import io.weirmq.index.OffsetIndex;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Checks batches before somebody is told what is in them. Each batch is checked once while its
 * segment is open; what this process has appended since then needs no check.
 *
 * <p>A batch is sound where its header is one, its checksum is right, and its base offset and
 * leader epoch, which the checksum does not cover, follow from the batch before and agree with the
 * batch behind. Where one is not, the next sound batch is searched, and the stretch between is
 * noted with the segment. Confined to one thread; made per check.
 */
public final class SegmentVerifier {

  /** An offset or epoch that isn't known. */
  static final long UNKNOWN = -1;

  private final OpenSegment holder;
  private final Segment segment;
  private final BatchWalker walker;
  private final BatchChecksum checksum;
  private final int segmentEnd;
  private final SegmentEnd known;

  private int position;
  private long expectedOffset = UNKNOWN;
  private int epoch = (int) UNKNOWN;

  /** Whether the base offset of the next batch is known to be right, though not the one before. */
  private boolean anchored;

  private SegmentVerifier(
      OpenSegment holder, BatchWalker walker, int segmentEnd, SegmentEnd known, boolean anchored) {
    this.holder = holder;
    this.segment = holder.owner();
    this.walker = walker;
    this.checksum = walker.checksum(holder.log());
    this.segmentEnd = segmentEnd;
    this.known = known;
    this.anchored = anchored;
  }

  /**
   * Checks what was not checked yet of a range, up to its end or the first damage.
   *
   * @param holder the segment, open
   * @param from where a batch starts
   * @param to position behind the last byte of interest
   * @param known what follows the segment
   * @return the position of the first damage, or one at or behind {@code to}
   * @throws StorageException where the file can't be read
   */
  public static int firstDamage(OpenSegment holder, int from, int to, SegmentEnd known)
      throws StorageException {
    return run(holder, from, to, UNKNOWN, Long.MAX_VALUE, known, true, true);
  }

  /**
   * Checks one batch; where it is not sound the segment knows it afterwards.
   *
   * @param expected the smallest base offset that it may have, {@link #UNKNOWN} where unknown
   */
  static void examine(OpenSegment holder, int position, long expected) throws StorageException {
    run(holder, position, position + 1, expected, Long.MAX_VALUE, SegmentEnd.UNKNOWN, false, true);
  }

  /**
   * Checks from a batch on until one reaches an offset; what is damaged between is noted with the
   * segment.
   */
  static void through(OpenSegment holder, int from, int to, long offset, SegmentEnd known)
      throws StorageException {
    run(holder, from, to, UNKNOWN, offset, known, true, false);
  }

  private static int run(
      OpenSegment holder,
      int from,
      int to,
      long expected,
      long offset,
      SegmentEnd known,
      boolean anchored,
      boolean stopAtDamage)
      throws StorageException {
    int end = Math.min(to, holder.soundFrom());
    if (from >= end) {
      return to;
    }
    BatchWalkers walkers = holder.owner().environment().walkers();
    BatchWalker walker = walkers.take();
    try {
      // Batches that were appended since the opening bound what lies before them.
      int segmentEnd = holder.owner().sizeBytes();
      int reached =
          new SegmentVerifier(holder, walker, segmentEnd, known, anchored)
              .verify(from, end, expected, offset, stopAtDamage);
      return reached < end ? reached : Math.max(reached, to);
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException(
          "%s can't be read at position %d: %s".formatted(holder.log().path(), from, e), e);
    } finally {
      walkers.giveBack(walker);
    }
  }

  private int verify(int from, int end, long expected, long offset, boolean stopAtDamage)
      throws IOException {
    position = from;
    expectedOffset = from == 0 ? segment.baseOffset() : expected;
    anchored &= from != 0;
    boolean walking = false;
    while (position < end) {
      if (skipVerified()) {
        walking = false;
        if (expectedOffset > offset) {
          return position;
        }
        continue;
      }
      Damage damage = segment.damages().startingAt(position);
      if (damage == null) {
        if (!walking) {
          walker.begin(holder.log(), position, segmentEnd);
        }
        String problem = check();
        if (problem == null) {
          walking = true;
          if (expectedOffset > offset) {
            return position;
          }
          continue;
        }
        damage = note(problem);
      }
      if (stopAtDamage) {
        return position;
      }
      walking = false;
      position = damage.endPosition();
      expectedOffset = damage.endOffset();
      epoch = (int) UNKNOWN;
      anchored = true; // the search has held it against the index
      if (damage.endOffset() > offset) {
        return position;
      }
    }
    return position;
  }

  private boolean skipVerified() {
    VerifiedRanges.Range range = holder.verified().find(position);
    if (range == null) {
      return false;
    }
    position = range.end();
    expectedOffset = range.nextOffset();
    anchored = false;
    epoch = range.epoch();
    return true;
  }

  /** Checks the next batch and moves behind it; returns what is wrong, or null. */
  private @Nullable String check() throws IOException {
    String problem = walker.nextOrProblem();
    if (problem != null) {
      return problem;
    }
    RecordBatch batch = walker.batch();
    long base = batch.baseOffset();
    long next = batch.nextOffset();
    int batchEpoch = batch.partitionLeaderEpoch();
    int nextPosition = walker.nextPosition();
    problem = problemWithOffsets(batch);
    if (problem != null) {
      return problem;
    }
    int computed = checksum.of(position, batch.sizeInBytes());
    if (computed != batch.crc()) {
      return "checksum mismatch: expected 0x%08x (stored), computed 0x%08x"
          .formatted(batch.crc(), computed);
    }
    // From here on the walker shows the header behind.
    boolean last = nextPosition >= segmentEnd;
    boolean header = !last && walker.peek();
    boolean sure = anchored || expectedOffset == base;
    if (header && !sure && walker.peeked().baseOffset() < next) {
      return "offsets %d to %d reach into those of the next batch, which begin at %d"
          .formatted(base, next - 1, walker.peeked().baseOffset());
    }
    if (last && next > known.offset()) {
      return "last offset is %d; the segment ends before offset %d"
          .formatted(next - 1, known.offset());
    }
    long knownEpoch = known.epochOf().applyAsLong(next - 1);
    int behind = header ? walker.peeked().partitionLeaderEpoch() : epoch;
    if (!isRightEpoch(batchEpoch, knownEpoch, behind)) {
      return "leader epoch is %d; expected %d".formatted(batchEpoch, knownEpoch);
    }
    if (known.isKnown()) {
      holder.verified().add(position, new VerifiedRanges.Range(nextPosition, next, batchEpoch));
    }
    anchored = false;
    position = nextPosition;
    expectedOffset = next;
    epoch = batchEpoch;
    return null;
  }

  /**
   * A batch that was on its way when an epoch began may have the one before, as others beside it
   * do; one that is damaged stands alone.
   */
  private boolean isRightEpoch(int found, long knownEpoch, int behind) {
    return knownEpoch < 0
        || found == knownEpoch
        || found == RecordBatch.NO_LEADER_EPOCH
        || (found < knownEpoch && (found == epoch || found == behind));
  }

  private @Nullable String problemWithOffsets(RecordBatch batch) {
    if (batch.baseOffset() < Math.max(expectedOffset, segment.baseOffset())) {
      return "base offset is %d; expected at least %d"
          .formatted(batch.baseOffset(), Math.max(expectedOffset, segment.baseOffset()));
    }
    if (!OffsetIndex.fits(segment.baseOffset(), batch.lastOffset())) {
      return "last offset is %d; a segment from %d on has %d at most"
          .formatted(
              batch.lastOffset(), segment.baseOffset(), segment.baseOffset() + Integer.MAX_VALUE);
    }
    return null;
  }

  private Damage note(String problem) throws IOException {
    long first = expectedOffset != UNKNOWN ? expectedOffset : firstOffset();
    int next =
        new SoundBatchSearch(holder, walker, checksum, segmentEnd)
            .behind(position, Math.max(first, segment.baseOffset()), known.offset());
    long end = known.offset();
    if (next < segmentEnd) {
      walker.begin(holder.log(), next, segmentEnd);
      walker.nextOrProblem();
      end = walker.batch().baseOffset();
    }
    Damage damage = new Damage(position, next, Math.min(first, end), end, problem);
    segment.noteDamage(damage);
    return damage;
  }

  /** Where nothing was read before: the offset that the header claims, where it can be one. */
  private long firstOffset() throws StorageException {
    walker.begin(holder.log(), position, segmentEnd);
    boolean header = walker.nextOrProblem() == null;
    return header
        ? Math.max(segment.baseOffset(), walker.batch().baseOffset())
        : segment.baseOffset();
  }
}
