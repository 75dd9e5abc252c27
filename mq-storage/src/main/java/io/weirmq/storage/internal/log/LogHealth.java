package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a log takes writes.
 *
 * <pre>
 *   Writable ──a write failed──▶ ReadOnly ──a write succeeded──▶ Writable
 *       │                           │
 *       └────── a force failed ─────┴──▶ Failed, until the broker is started again
 * </pre>
 *
 * <p>A log that is read-only looks at the disk again with the next write that comes a second or
 * more after the last attempt; all others are refused without touching it. Each change of state is
 * one line in the broker's log.
 *
 * <p>The writer moves it between the first two, and whoever forces files to the last, which nothing
 * leaves: changes are made under the object's lock. Safe for use by several threads.
 */
final class LogHealth {

  /** Time between two attempts to write while the log is read-only. */
  static final long ATTEMPT_INTERVAL_MS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(LogHealth.class);

  /** One of the three states. Immutable. */
  sealed interface State permits Writable, ReadOnly, Failed {}

  /** All is well. */
  record Writable() implements State {}

  /**
   * The disk refused the last write; it may take one again.
   *
   * @param cause what it said
   * @param sinceMs wall clock of the first refusal
   * @param lastAttemptMs wall clock of the last one
   */
  record ReadOnly(StorageException cause, long sinceMs, long lastAttemptMs) implements State {}

  /**
   * What the disk holds is not known any more.
   *
   * @param cause what it said
   */
  record Failed(StorageException cause) implements State {}

  private static final Writable WRITABLE = new Writable();

  private final TopicPartition partition;
  private final LogOwner owner;
  private volatile State state = WRITABLE;

  LogHealth(TopicPartition partition, LogOwner owner) {
    this.partition = partition;
    this.owner = owner;
  }

  State state() {
    return state;
  }

  boolean isWritable() {
    return state instanceof Writable;
  }

  /** Why nothing may be written until the next start; null while something may. */
  @Nullable StorageException failure() {
    return state instanceof Failed failed ? failed.cause() : null;
  }

  /**
   * Returns whether the log was writable at the last attempt; where it was not and the time for
   * another has come, the caller makes it.
   *
   * @throws StorageException where nothing may be written now
   */
  boolean ensureWritable(long nowMs) throws StorageException {
    State now = state;
    if (now instanceof Writable) {
      return true;
    }
    if (now instanceof ReadOnly readOnly && isDue(readOnly, nowMs)) {
      noteAttempt(nowMs);
      return false;
    }
    throw refusal(now);
  }

  private synchronized void noteAttempt(long nowMs) {
    if (state instanceof ReadOnly readOnly) {
      state = new ReadOnly(readOnly.cause(), readOnly.sinceMs(), nowMs);
    }
  }

  private static boolean isDue(ReadOnly readOnly, long nowMs) {
    long passedMs = nowMs - readOnly.lastAttemptMs();
    // A clock that was set back must not hold the next attempt up.
    return passedMs >= ATTEMPT_INTERVAL_MS || passedMs < 0;
  }

  private StorageException refusal(State now) {
    StorageException cause =
        now instanceof Failed failed ? failed.cause() : ((ReadOnly) now).cause();
    return new StorageException(
        "%s takes no writes: %s".formatted(partition, cause.getMessage()), cause);
  }

  /** Notes a write that failed and left the log as it was, and tells the log's owner. */
  void writeFailed(StorageException cause, long nowMs) {
    becomeReadOnly(cause, nowMs);
    owner.diskRefused(cause);
  }

  private synchronized void becomeReadOnly(StorageException cause, long nowMs) {
    State now = state;
    if (now instanceof Writable) {
      LOG.error(
          "{} is read-only, and looks again with the next write from {} ms on: {}",
          partition,
          ATTEMPT_INTERVAL_MS,
          cause.getMessage(),
          cause);
      state = new ReadOnly(cause, nowMs, nowMs);
    } else if (now instanceof ReadOnly readOnly) {
      state = new ReadOnly(cause, readOnly.sinceMs(), nowMs);
    }
  }

  /** Notes a write that succeeded. */
  void writeSucceeded(InstantSource clock) {
    if (state instanceof ReadOnly) {
      becomeWritable(clock);
    }
  }

  private synchronized void becomeWritable(InstantSource clock) {
    if (state instanceof ReadOnly readOnly) {
      LOG.info("{} is writable again after {} ms", partition, clock.millis() - readOnly.sinceMs());
      state = WRITABLE;
    }
  }

  /** Stops all further writing, and tells the log's owner. */
  void fail(StorageException cause) {
    becomeFailed(cause);
    owner.diskRefused(cause);
  }

  private synchronized void becomeFailed(StorageException cause) {
    if (!(state instanceof Failed)) {
      LOG.error(
          "{} takes no more writes until the broker is started again: {}",
          partition,
          cause.getMessage(),
          cause);
      state = new Failed(cause);
    }
  }
}
