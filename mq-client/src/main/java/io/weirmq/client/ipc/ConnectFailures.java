package io.weirmq.client.ipc;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why a publisher or subscriber does not go on yet, because it can't connect or the leader refuses
 * what it is sent: keeps the last cause, and logs each message once until it goes on, {@value
 * #MESSAGES_MAX} at most. Safe for use by several threads.
 */
final class ConnectFailures {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectFailures.class);

  /** Messages that are logged until it is connected; there may be an attempt each millisecond. */
  private static final int MESSAGES_MAX = 10;

  private final String who;

  /** What was logged. Guarded by this. */
  private final Set<String> logged = new HashSet<>();

  private volatile @Nullable IOException last;

  /** The leader was reached and has refused, and has accepted nothing since. Guarded by this. */
  private boolean refused;

  /**
   * Has seen no failure yet.
   *
   * @param who names the publisher or subscriber in the log
   */
  ConnectFailures(String who) {
    this.who = who;
  }

  /** Takes the outcome of an attempt, as a future tells it. */
  synchronized void add(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    last = cause instanceof IOException known ? known : new IOException(message, cause);
    if (isNew(message)) {
      LOG.warn("{} tries again: {}", who, message);
    }
  }

  /** Takes what a leader has refused for now, and will be sent again. */
  synchronized void addRefusal(IOException refusal) {
    refused = true;
    last = refusal;
    String message = String.valueOf(refusal.getMessage());
    if (isNew(message)) {
      LOG.warn("{} sends again what is not taken now: {}", who, message);
    }
  }

  /** Takes what a leader has refused, and will not be sent again. */
  synchronized void addLoss(IOException refusal, int recordCount) {
    refused = true;
    last = refusal;
    String message = String.valueOf(refusal.getMessage());
    if (isNew(message)) {
      LOG.warn("{} has dropped {} records: {}", who, recordCount, message);
    }
  }

  private boolean isNew(String message) {
    return logged.size() < MESSAGES_MAX && logged.add(message);
  }

  /** It is connected, which does not mean that a leader takes what it has refused before. */
  synchronized void connected() {
    if (!refused) {
      clear();
    }
  }

  /** It goes on. */
  synchronized void clear() {
    refused = false;
    last = null;
    logged.clear();
  }

  /** The last cause; null where there is none since it went on. */
  @Nullable IOException last() {
    return last;
  }
}
