package io.weirmq.transport.shm.internal;

import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.ListenerCounters;
import io.weirmq.transport.shm.internal.handshake.Established;
import io.weirmq.transport.shm.internal.handshake.Gate;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A folder where peers connect, with its counters. Safe for use by several threads. */
final class ShmListener implements Listener, ConnectionOwner, Gate {

  private final Endpoint endpoint;
  private final ShmTransport transport;
  private final ConnectionHandler.Factory handlers;
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong open = new AtomicLong();
  private final AtomicLong framingErrors = new AtomicLong();
  private final WaitCounters waits = new WaitCounters();
  private volatile boolean closed;

  ShmListener(Endpoint endpoint, ShmTransport transport, ConnectionHandler.Factory handlers) {
    this.endpoint = endpoint;
    this.transport = transport;
    this.handlers = handlers;
  }

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public int connectionCount() {
    return (int) open.get();
  }

  @Override
  public ListenerCounters counters() {
    return new ListenerCounters(accepted.get(), refused.get(), open.get(), framingErrors.get());
  }

  @Override
  public Map<String, LongSupplier> transportGauges() {
    return Map.of(
        "ring-full-total", waits::ringFullCount,
        "bell-total", waits::bellCount,
        "io-thread-sleep-total", transport::sleepCount,
        "closed-mapping-count", transport::closedMappingCount);
  }

  @Override
  public WaitCounters waits() {
    return waits;
  }

  @Override
  public boolean renew() throws IOException {
    return transport.renew(this);
  }

  /** Whether {@link #close()} was called. */
  boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    transport.closeListener(this);
  }

  @Override
  public @Nullable String admit(String user) {
    String limit = transport.limits().tryAcquire(user);
    if (limit != null) {
      refused.incrementAndGet();
      return limit + " reached";
    }
    return null;
  }

  @Override
  public void giveBack(String user) {
    transport.limits().release(user);
  }

  @Override
  public void established(Established established) {
    accepted.incrementAndGet();
    open.incrementAndGet();
    transport.accepted(this, established, handlers);
  }

  @Override
  public void failed(String reason) {
    transport.handshakeFailed(endpoint, reason);
  }

  @Override
  public boolean opened(ShmConnection connection) {
    return transport.opened(connection);
  }

  @Override
  public void ended(ShmConnection connection) {
    left(connection.peer().host());
    transport.ended(connection);
  }

  /** A connection of this user is none any more. */
  void left(String user) {
    transport.limits().release(user);
    open.decrementAndGet();
  }

  @Override
  public void framingError(ShmConnection connection, IOException error) {
    framingErrors.incrementAndGet();
    transport.framingError(connection, error);
  }
}
