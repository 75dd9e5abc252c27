package io.weirmq.client.ipc;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why a publisher or subscriber is not connected again yet: keeps the last cause, and logs each
 * message once until it is connected, {@value #MESSAGES_MAX} at most. Safe for use by several
 * threads.
 */
final class ConnectFailures {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectFailures.class);

  /** Messages that are logged until it is connected; there may be an attempt each millisecond. */
  private static final int MESSAGES_MAX = 10;

  private final String who;

  /** What was logged. Guarded by this. */
  private final Set<String> logged = new HashSet<>();

  private volatile @Nullable IOException last;

  /**
   * Has seen no failure yet.
   *
   * @param who names the publisher or subscriber in the log
   */
  ConnectFailures(String who) {
    this.who = who;
  }

  /** Takes the outcome of an attempt, as a future tells it. */
  void add(Throwable failure) {
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

  private synchronized boolean isNew(String message) {
    return logged.size() < MESSAGES_MAX && logged.add(message);
  }

  /** It is connected. */
  synchronized void clear() {
    last = null;
    logged.clear();
  }

  /** Why the last attempt has failed; null where none has since it was connected. */
  @Nullable IOException last() {
    return last;
  }
}
