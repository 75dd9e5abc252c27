package io.weirmq.server.internal.request;

import io.weirmq.protocol.StringInterner;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.LoggerFactory;

/** The open connections of a broker, over all its listeners. Safe for use by several threads. */
public final class ClientConnections {

  /** Topic names that are remembered over requests. */
  private static final int NAMES_REMEMBERED = 4096;

  private final ApiTable apis;
  private final RequestLimits limits;
  private final LongSupplier nanoClock;
  private final RateLimitedLog badRequests;
  private final StringInterner names = new StringInterner(NAMES_REMEMBERED);
  private final AtomicLong nextId = new AtomicLong();
  private final Set<RequestConnection> open = ConcurrentHashMap.newKeySet();

  /**
   * Makes an empty set of connections.
   *
   * @param nanoClock monotonic clock, nanoseconds
   */
  public ClientConnections(ApiTable apis, RequestLimits limits, LongSupplier nanoClock) {
    this.apis = apis;
    this.limits = limits;
    this.nanoClock = nanoClock;
    this.badRequests =
        new RateLimitedLog(LoggerFactory.getLogger(ClientConnections.class), nanoClock);
  }

  /** Returns what handles the connections that a listener accepts. */
  public ConnectionHandler.Factory of(String listenerName) {
    return connection -> accepted(connection, listenerName);
  }

  private ConnectionHandler accepted(Connection connection, String listenerName) {
    RequestConnection accepted =
        new RequestConnection(
            connection,
            nextId.incrementAndGet(),
            listenerName,
            apis,
            limits,
            names,
            badRequests,
            open::remove);
    open.add(accepted);
    return accepted;
  }

  /** The number of open connections. */
  public int openCount() {
    return open.size();
  }

  /**
   * Lets requests expire that wait beyond their own time-outs; to be called about once a second.
   */
  public void expire() {
    long nowNs = nanoClock.getAsLong();
    open.forEach(connection -> connection.expire(nowNs));
  }

  /** Closes each connection once the responses to the requests it has taken in have left. */
  public void drain() {
    open.forEach(RequestConnection::drain);
  }
}
