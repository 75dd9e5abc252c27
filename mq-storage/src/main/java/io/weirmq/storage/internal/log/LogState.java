package io.weirmq.storage.internal.log;

import io.weirmq.storage.LogConfig;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.ForceFailedFile;
import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.producer.ProducerStates;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentEnd;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What the writer of a log and its readers share.
 *
 * <pre>
 *   field           written by       read by          mode
 *   end             writer           all              release / acquire
 *   highWatermark   writer           all              release / acquire
 *   lastStable      writer           all              release / acquire
 *   logStartOffset  writer           all              volatile
 *   segments        writer           all              volatile
 *   knownPoints     writer, readers  all              volatile; see KnownPoints
 *   cuts            writer           readers          volatile
 *   config          writer           all              volatile
 *   health          all              all              see LogHealth
 *   progress        writer, flushes  all              see FlushProgress
 *   cleanedOffset   writer           cleaner          volatile
 * </pre>
 *
 * <p>The order in which they are published: bytes, segment size, {@code end}, {@code
 * highWatermark}, {@code lastStable}. A reader that takes a limit first and the segment's size
 * later therefore finds all bytes below the limit.
 *
 * <p>Single writer, many readers.
 */
final class LogState {

  private static final VarHandle END;
  private static final VarHandle HIGH_WATERMARK;
  private static final VarHandle LAST_STABLE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      END = lookup.findVarHandle(LogState.class, "end", LogPoint.class);
      HIGH_WATERMARK = lookup.findVarHandle(LogState.class, "highWatermark", LogPoint.class);
      LAST_STABLE = lookup.findVarHandle(LogState.class, "lastStable", LogPoint.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final LogIdentity identity;
  private final LeaderEpochs epochs;
  private final ProducerStates producers;

  @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // used through END
  private LogPoint end;

  @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // used through HIGH_WATERMARK
  private LogPoint highWatermark;

  @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // used through LAST_STABLE
  private LogPoint lastStable;

  private volatile long logStartOffset;
  private volatile SegmentList segments;
  private volatile KnownPoints knownPoints = new KnownPoints();
  private volatile int cuts;
  private volatile LogConfig config;
  private final LogHealth health;
  private final FlushProgress progress;
  private final TransactionIndexRepair transactionRepair;
  private final TransactionIndexRecords transactionRecords;
  private volatile long cleanedOffset;

  LogState(LogIdentity identity, LogConfig config, LoadedLog loaded) {
    this.identity = identity;
    this.config = config;
    this.epochs = loaded.epochs();
    this.producers = loaded.producers();
    this.segments = SegmentList.of(loaded.segments());
    this.logStartOffset = loaded.logStartOffset();
    this.health = new LogHealth(identity.partition(), identity.owner());
    this.progress = new FlushProgress(loaded.recoveryPoint());
    this.transactionRepair = new TransactionIndexRepair(identity);
    this.transactionRecords = new TransactionIndexRecords(identity);
    Segment active = segments.last();
    this.end = new LogPoint(loaded.logEndOffset(), active, active.sizeBytes());
    long watermark =
        Math.max(loaded.logStartOffset(), Math.min(loaded.highWatermark(), end.offset()));
    this.highWatermark = pointAt(watermark);
    producers.onHighWatermark(watermark);
    this.lastStable = pointAt(Math.max(logStartOffset, producers.lastStableOffset(watermark)));
  }

  LogIdentity identity() {
    return identity;
  }

  LeaderEpochs epochs() {
    return epochs;
  }

  /** Writer only, but for what its own documentation allows. */
  ProducerStates producers() {
    return producers;
  }

  LogPoint endAcquire() {
    return (LogPoint) END.getAcquire(this);
  }

  LogPoint highWatermarkAcquire() {
    return (LogPoint) HIGH_WATERMARK.getAcquire(this);
  }

  LogPoint lastStableAcquire() {
    return (LogPoint) LAST_STABLE.getAcquire(this);
  }

  void publishEndRelease(LogPoint point) {
    knownPoints.put(point);
    END.setRelease(this, point);
  }

  /** Publishes a high watermark that lies at or below the end, and the last stable offset. */
  void publishHighWatermarkRelease(long offset) {
    LogPoint point = pointAt(offset);
    HIGH_WATERMARK.setRelease(this, point);
    producers.onHighWatermark(offset);
    long stable = Math.max(logStartOffset, producers.lastStableOffset(offset));
    LAST_STABLE.setRelease(this, stable == offset ? point : pointAt(stable));
  }

  private LogPoint pointAt(long offset) {
    LogPoint logEnd = endAcquire();
    if (offset == logEnd.offset()) {
      return logEnd;
    }
    LogPoint known = knownPoints.get(offset);
    if (known != null) {
      return known;
    }
    SegmentList now = segments;
    return new LogPoint(offset, now.get(now.floorIndex(offset)), LogPoint.UNKNOWN);
  }

  long logStartOffset() {
    return logStartOffset;
  }

  void logStartOffset(long offset) {
    logStartOffset = offset;
  }

  SegmentList segments() {
    return segments;
  }

  void segments(SegmentList list) {
    segments = list;
  }

  /** What is known of a segment beside its own bytes. */
  SegmentEnd endOf(SegmentList list, int index) {
    long offset = Math.min(list.nextBaseOffset(index), endAcquire().offset());
    return new SegmentEnd(offset, epochs::epochOfOffset);
  }

  KnownPoints knownPoints() {
    return knownPoints;
  }

  /**
   * How often the end was moved back, or segments were put in the place of others. A reader that
   * sees it change looks again.
   */
  int cuts() {
    return cuts;
  }

  /**
   * Moves the end back; what was remembered of positions is forgotten. Writer only.
   *
   * @return whether the recovery point was lowered by it
   */
  boolean cut(SegmentList list, LogPoint newEnd) {
    int begun = cuts + 1;
    cuts = begun;
    knownPoints = new KnownPoints();
    long watermark = Math.min(highWatermarkAcquire().offset(), newEnd.offset());
    segments = list;
    if (newEnd.offset() < logStartOffset) {
      logStartOffset = newEnd.offset();
    }
    // Watermarks first: they may not lie above the end at any moment.
    LogPoint lowered =
        watermark == newEnd.offset()
            ? newEnd
            : new LogPoint(watermark, list.get(list.floorIndex(watermark)), LogPoint.UNKNOWN);
    LAST_STABLE.setRelease(
        this, lastStableAcquire().offset() <= watermark ? unknown(lastStableAcquire()) : lowered);
    HIGH_WATERMARK.setRelease(this, lowered);
    END.setRelease(this, newEnd);
    boolean recoveryPointLowered = progress.cut(newEnd.offset());
    cleanedOffset = Math.min(cleanedOffset, newEnd.offset());
    cuts = begun + 1;
    return recoveryPointLowered;
  }

  /**
   * Puts segments in the place of others that hold the same offsets, or notes that files of
   * segments got other names; the end stays. Writer only.
   */
  void replaced(SegmentList list) {
    segments = list;
    int seen = cuts;
    cuts = seen + 2;
  }

  private LogPoint unknown(LogPoint point) {
    SegmentList now = segments;
    return new LogPoint(point.offset(), now.get(now.floorIndex(point.offset())), LogPoint.UNKNOWN);
  }

  LogConfig config() {
    return config;
  }

  void config(LogConfig next) {
    config = next;
  }

  /** Whether the log may be written. */
  LogHealth health() {
    return health;
  }

  /** Looks at transaction indexes before they are used. */
  TransactionIndexRepair transactionRepair() {
    return transactionRepair;
  }

  /** Remembers what is in the transaction indexes. Writer only. */
  TransactionIndexRecords transactionRecords() {
    return transactionRecords;
  }

  /** The offset below which the log was compacted. */
  long cleanedOffset() {
    return cleanedOffset;
  }

  void cleanedOffset(long offset) {
    cleanedOffset = offset;
  }

  /** Why nothing may be written until the next start; null while something may. */
  /**
   * Stops all further writing, as it isn't known any more what of the log is on the disk, and has
   * the next start write again what is in doubt.
   *
   * @return the cause, to be thrown
   */
  StorageException forceFailed(StorageException cause) {
    health.fail(cause);
    new ForceFailedFile(identity.environment().files(), identity.folder()).note(cause);
    return cause;
  }

  @Nullable StorageException failure() {
    return health.failure();
  }

  /** How far the log is on the disk. */
  FlushProgress progress() {
    return progress;
  }
}
