package io.weirmq.client.ipc;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether a leader surely remembers a producer. One that does not takes a batch of any sequence,
 * also one behind a batch that it has refused.
 *
 * <p>Told by the I/O thread of the link in use, and by whoever has the publisher's turn where
 * nothing is under way; asked by any thread.
 */
final class LeaderMemory {

  /**
   * How long a leader is taken to know a producer after it was seen to: far less than the day after
   * which a broker forgets one.
   */
  private static final long KNOWN_FOR_NS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier nanoClock;

  private volatile @Nullable ProduceLink knownOn;

  /** Written before {@link #knownOn}. */
  private volatile long knownAtNs;

  private volatile boolean anyAcknowledged;

  LeaderMemory(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** The leader behind a link has told the producer's last sequence. */
  void told(ProduceLink link) {
    knownAtNs = nanoClock.getAsLong();
    knownOn = link;
  }

  /** The leader behind a link has acknowledged a batch. */
  void acknowledged(ProduceLink link) {
    anyAcknowledged = true;
    told(link);
  }

  /** The leader has refused a batch: what it knows is to be seen again. */
  void doubt() {
    knownOn = null;
  }

  /** The producer has taken another identity, of which no leader knows anything. */
  void beginAnew() {
    knownOn = null;
    anyAcknowledged = false;
  }

  /** Whether the leader behind a link surely knows the producer. */
  boolean isSureOf(@Nullable ProduceLink link) {
    return link != null && knownOn == link && nanoClock.getAsLong() - knownAtNs < KNOWN_FOR_NS;
  }

  /** Whether any leader has acknowledged a batch of the present identity. */
  boolean hasAcknowledged() {
    return anyAcknowledged;
  }
}
