package io.weirmq.server.internal.request;

import io.weirmq.protocol.StringInterner;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Peer;
import io.weirmq.transport.support.RateLimit;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The open connections of a broker, over all its listeners. Safe for use by several threads. */
public final class ClientConnections {

  /** Topic names that are remembered over requests. */
  private static final int NAMES_REMEMBERED = 4096;

  private final RequestDecoding decoding;
  private final RequestLimits limits;
  private final Optional<String> ownUser;
  private final LongSupplier nanoClock;
  private final RateLimit badRequestReports;
  private final AtomicLong nextId = new AtomicLong();
  private final Map<String, RequestTraffic> traffic = new ConcurrentHashMap<>();
  private final Set<RequestConnection> open = ConcurrentHashMap.newKeySet();
  private final CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
  private volatile boolean serving;
  private volatile boolean draining;

  /**
   * Makes an empty set of connections.
   *
   * @param ownUser name of the user that this process runs as; empty where the system does not tell
   * @param nanoClock monotonic clock, nanoseconds
   */
  public ClientConnections(
      ApiTable apis, RequestLimits limits, Optional<String> ownUser, LongSupplier nanoClock) {
    this.decoding = new RequestDecoding(apis, new StringInterner(NAMES_REMEMBERED));
    this.limits = limits;
    this.ownUser = ownUser;
    this.nanoClock = nanoClock;
    this.badRequestReports = new RateLimit(nanoClock);
  }

  /** Returns what handles the connections that a listener accepts. */
  public ConnectionHandler.Factory of(ListenerNames listener) {
    RequestTraffic counted = traffic(listener.name());
    return connection -> accepted(connection, listener, counted);
  }

  /** What goes through the connections of a listener of this name. */
  public RequestTraffic traffic(String listener) {
    return traffic.computeIfAbsent(listener, name -> new RequestTraffic());
  }

  private ConnectionHandler accepted(
      Connection connection, ListenerNames listener, RequestTraffic counted) {
    RequestConnection accepted =
        new RequestConnection(
            connection,
            nextId.incrementAndGet(),
            listener,
            counted,
            decoding,
            limits,
            badRequestReports,
            isOfOwnUser(connection.peer()),
            this::ended);
    open.add(accepted);
    if (!serving) {
      accepted.suspendRequests();
    }
    if (draining) {
      accepted.drain();
    }
    return accepted;
  }

  private boolean isOfOwnUser(Peer peer) {
    Peer.UnixUser user = peer.unixUser();
    return user != null && ownUser.isPresent() && ownUser.get().equals(user.user());
  }

  private void ended(RequestConnection connection) {
    open.remove(connection);
    if (draining && open.isEmpty()) {
      drained.complete(null);
    }
  }

  /**
   * Begins to handle requests; those that came before have waited. A broker must listen before it
   * knows the ports that it tells to clients.
   */
  public void serve() {
    serving = true;
    open.forEach(connection -> connection.execute(connection::resumeRequests));
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

  /**
   * Closes each connection once the responses to the requests it has taken in have left.
   *
   * @return completes when no connection is open any more
   */
  public CompletionStage<@Nullable Void> drain() {
    draining = true;
    open.forEach(RequestConnection::drain);
    if (open.isEmpty()) {
      drained.complete(null);
    }
    return drained;
  }
}
