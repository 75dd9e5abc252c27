package io.weirmq.transport;

import java.io.IOException;
import java.util.Map;
import java.util.function.LongSupplier;

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
   * What else this listener's transport can tell, by name: words in lower case with hyphens; what
   * never goes down ends in {@code -total}. The names are always the same. A value may be asked for
   * at any time, by any thread, and does not block; it may be of the whole transport.
   */
  default Map<String, LongSupplier> transportGauges() {
    return Map.of();
  }

  /**
   * Binds the endpoint again where it was taken away from outside, as a path can be with its
   * folder; connections that are open stay. To be called now and then where somebody may do such a
   * thing, and not by an I/O thread. Does nothing after {@link #close()}.
   *
   * @return whether that was necessary
   * @throws IOException where it is necessary and can't be done, as while somebody else has the
   *     endpoint; may be tried again
   */
  default boolean renew() throws IOException {
    return false;
  }

  /**
   * Stops accepting and gives the endpoint free; returns when another listener can bind it.
   * Connections that are open stay open until they or the transport are closed. Closing again does
   * nothing.
   */
  @Override
  void close();
}
