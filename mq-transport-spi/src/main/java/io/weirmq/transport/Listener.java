package io.weirmq.transport;

/** A bound endpoint that accepts connections. Safe for use by several threads. */
public interface Listener extends AutoCloseable {

  /** The bound endpoint, with the real port. */
  Endpoint endpoint();

  /** The number of connections accepted here that are open now. */
  int connectionCount();

  /**
   * Stops accepting; connections that are open stay open until they or the transport are closed.
   * Closing again does nothing.
   */
  @Override
  void close();
}
