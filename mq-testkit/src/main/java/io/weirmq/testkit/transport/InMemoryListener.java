package io.weirmq.testkit.transport;

import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.ListenerCounters;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/** A bound endpoint of an {@link InMemoryNetwork}. Safe for use by several threads. */
final class InMemoryListener implements Listener {

  private final InMemoryTransport transport;
  private final ConnectionHandler.Factory handlers;
  private final Endpoint bound;
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong open = new AtomicLong();
  private final AtomicLong framingErrors = new AtomicLong();

  InMemoryListener(InMemoryTransport transport, Endpoint asked, ConnectionHandler.Factory handlers)
      throws IOException {
    this.transport = transport;
    this.handlers = handlers;
    this.bound = transport.network().bind(asked, transport.node(), this);
  }

  InMemoryTransport transport() {
    return transport;
  }

  ConnectionHandler.Factory handlers() {
    return handlers;
  }

  void connectionRefused() {
    refused.incrementAndGet();
  }

  void connectionOpened() {
    accepted.incrementAndGet();
    open.incrementAndGet();
  }

  void connectionEnded() {
    open.decrementAndGet();
  }

  void framingError() {
    framingErrors.incrementAndGet();
  }

  @Override
  public Endpoint endpoint() {
    return bound;
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
  public void close() {
    transport.network().unbind(bound, transport.node(), this);
    transport.forget(this);
  }
}
