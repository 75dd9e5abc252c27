package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.FetchRequest;
import io.weirmq.protocol.message.FetchResponse.PartitionData;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * The fetch sessions of a broker, in a bounded number of slots.
 *
 * <p>Where all slots are taken, a session that nobody has used for two minutes makes room; where
 * there is none, new clients get no session and go on with full fetches. Nothing is lost by that: a
 * client whose session is gone is told so and begins anew.
 *
 * <p>Safe for use by several threads. Fetches within sessions take no common lock.
 */
public final class FetchSessions {

  /** The session id that stands for none. */
  static final int NO_SESSION = 0;

  /** A full fetch that begins a session. */
  private static final int INITIAL_EPOCH = 0;

  /** A full fetch without a session. */
  private static final int FINAL_EPOCH = -1;

  /**
   * Partitions that a session remembers at most. A client with more of them, or one that names what
   * does not exist, goes on with full fetches.
   */
  static final int SESSION_PARTITIONS_MAX = 10_000;

  private static final long EVICTION_NS = TimeUnit.MINUTES.toNanos(2);

  private final int slots;
  private final LongSupplier nanoClock;
  private final IntSupplier randomIds;
  private final Map<Integer, FetchSession> sessions = new ConcurrentHashMap<>();
  private final Object slotLock = new Object();

  /**
   * Makes an empty cache.
   *
   * @param slots number of sessions at most, 0 or more
   * @param nanoClock monotonic clock, nanoseconds
   * @param randomIds a source of numbers that can't be guessed; sessions are named after them
   */
  public FetchSessions(int slots, LongSupplier nanoClock, IntSupplier randomIds) {
    this.slots = slots;
    this.nanoClock = nanoClock;
    this.randomIds = randomIds;
  }

  /** The number of sessions. */
  public int count() {
    return sessions.size();
  }

  /**
   * Finds out what a request asks for.
   *
   * @param byTopicId whether the request names topics by id
   */
  Opened open(FetchRequest request, boolean byTopicId) {
    int epoch = request.sessionEpoch();
    if (epoch == INITIAL_EPOCH || epoch == FINAL_EPOCH) {
      if (request.sessionId() != NO_SESSION) {
        sessions.remove(request.sessionId());
      }
      List<FetchPartition> partitions = FetchTopics.requested(request);
      boolean wantsSession =
          epoch == INITIAL_EPOCH
              && !partitions.isEmpty()
              && partitions.size() <= SESSION_PARTITIONS_MAX;
      return new Opened.Ready(
          new FullFetch(
              partitions,
              wantsSession
                  ? (all, results) -> begin(byTopicId, all, results)
                  : FullFetch.SessionOffer.NONE));
    }
    return resume(request, byTopicId);
  }

  private Opened resume(FetchRequest request, boolean byTopicId) {
    FetchSession session = sessions.get(request.sessionId());
    if (session == null) {
      return new Opened.Failed(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    }
    ErrorCode error = session.advance(request.sessionEpoch(), byTopicId, nanoClock.getAsLong());
    if (error != ErrorCode.NONE) {
      return new Opened.Failed(error);
    }
    List<FetchPartition> partitions =
        session.update(FetchTopics.requested(request), FetchTopics.forgotten(request));
    if (partitions.size() > SESSION_PARTITIONS_MAX) {
      sessions.remove(session.id(), session);
      return new Opened.Failed(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    }
    if (partitions.isEmpty()) {
      sessions.remove(session.id(), session);
      return new Opened.Ready(new FullFetch(partitions, FullFetch.SessionOffer.NONE));
    }
    return new Opened.Ready(new IncrementalFetch(session, partitions));
  }

  private int begin(
      boolean byTopicId, List<FetchPartition> partitions, List<PartitionData> results) {
    long nowNs = nanoClock.getAsLong();
    synchronized (slotLock) {
      if (sessions.size() >= slots && !evictIdle(nowNs)) {
        return NO_SESSION;
      }
      FetchSession session = new FetchSession(unusedId(), byTopicId, nowNs);
      session.begin(partitions, results);
      sessions.put(session.id(), session);
      return session.id();
    }
  }

  private boolean evictIdle(long nowNs) {
    Optional<FetchSession> idlest =
        sessions.values().stream()
            .max(Comparator.comparingLong(session -> nowNs - session.lastUsedNs()));
    return idlest.isPresent()
        && nowNs - idlest.get().lastUsedNs() > EVICTION_NS
        && sessions.remove(idlest.get().id(), idlest.get());
  }

  private int unusedId() {
    int id = NO_SESSION;
    while (id == NO_SESSION || sessions.containsKey(id)) {
      id = randomIds.getAsInt() & Integer.MAX_VALUE;
    }
    return id;
  }

  /** What a request asks for, or why it can't be served. */
  sealed interface Opened {

    /** The request can be served. */
    record Ready(FetchContext context) implements Opened {}

    /** The request does not fit a session. */
    record Failed(ErrorCode error) implements Opened {}
  }
}
