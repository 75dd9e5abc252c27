package io.weirmq.transport.shm.internal;

import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Peer;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.WaitStrategy;
import io.weirmq.transport.shm.internal.handshake.Established;
import io.weirmq.transport.shm.internal.ring.RingViolationException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import jdk.net.UnixDomainPrincipal;

/**
 * Makes the connections of a transport out of handshakes, and knows those that are open. Safe for
 * use by several threads.
 */
final class Connections {

  private final TransportOptions options;
  private final WaitStrategy waitStrategy;
  private final IoThreads threads;
  private final Set<ShmConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong nextId = new AtomicLong(1);

  Connections(TransportOptions options, WaitStrategy waitStrategy, IoThreads threads) {
    this.options = options;
    this.waitStrategy = waitStrategy;
    this.threads = threads;
  }

  /**
   * Makes the accepting end of a connection; it has not begun.
   *
   * @param established transferred
   */
  ShmConnection accept(
      Endpoint endpoint,
      Established established,
      ConnectionOwner owner,
      ConnectionHandler.Factory handlers) {
    Peer.UnixUser user = unixUser(established.user());
    return make(
        endpoint,
        new Peer(user.user(), 0, null, user),
        established,
        SharedRings.ofServer(established),
        owner,
        handlers);
  }

  /**
   * Makes the connecting end, as {@link #accept} does the other.
   *
   * @param established transferred, unless this throws
   * @throws RingViolationException where the shared memory is not what it should be
   */
  ShmConnection connect(
      Endpoint endpoint, Established established, ConnectionOwner owner, ConnectionHandler handler)
      throws RingViolationException {
    return make(
        endpoint,
        new Peer(endpoint.host(), 0, null, unixUser(established.user())),
        established,
        SharedRings.ofClient(established),
        owner,
        made -> handler);
  }

  private ShmConnection make(
      Endpoint endpoint,
      Peer peer,
      Established established,
      SharedRings rings,
      ConnectionOwner owner,
      ConnectionHandler.Factory handlers) {
    return new ShmConnection(
        nextId.getAndIncrement(),
        endpoint,
        peer,
        established.socket(),
        rings,
        threads.next(),
        waitStrategy,
        options,
        owner,
        handlers);
  }

  private static Peer.UnixUser unixUser(UnixDomainPrincipal principal) {
    return new Peer.UnixUser(principal.user().getName(), principal.group().getName());
  }

  /** Takes a connection in that begins. */
  void add(ShmConnection connection) {
    open.add(connection);
  }

  /** Forgets one that has ended. */
  void remove(ShmConnection connection) {
    open.remove(connection);
  }

  /** Has all connections end in good order. */
  void close() {
    List.copyOf(open).forEach(ShmConnection::close);
  }

  /** Cuts all connections. */
  void abort() {
    List.copyOf(open)
        .forEach(connection -> connection.abort(new IOException("transport is closed")));
  }

  /** Completes when those that are open now have ended. */
  CompletableFuture<Void> whenEnded() {
    return CompletableFuture.allOf(
        open.stream().map(ShmConnection::whenEnded).toArray(CompletableFuture<?>[]::new));
  }
}
