package io.weirmq.transport;

/** A bound endpoint that accepts connections. Safe for use by several threads. */
public interface Listener extends AutoCloseable {

  /** The bound endpoint, with the real port. */
  Endpoint endpoint();

  /** The number of connections accepted here that are open now. */
  int connectionCount();

  /**
   * What this listener has counted so far; may be read at any time, also after {@link #close()}.
   */
  ListenerCounters counters();

  /**
   * Stops accepting and gives the endpoint free; returns when another listener can bind it.
   * Connections that are open stay open until they or the transport are closed. Closing again does
   * nothing.
   */
  @Override
  void close();
}
