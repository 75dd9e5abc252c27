package io.weirmq.client.ipc;

import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.util.HashMap;
import java.util.Map;

/**
 * The transports of a client, opened when they are first needed. Safe for use by several threads.
 */
final class Transports implements AutoCloseable {

  private final TransportOptions options;

  // Guarded by this.
  private final Map<String, Transport> open = new HashMap<>();
  private boolean closed;

  Transports(TransportOptions options) {
    this.options = options;
  }

  synchronized Transport of(String scheme) {
    if (closed) {
      throw new IllegalStateException("the client is closed");
    }
    return open.computeIfAbsent(scheme, name -> TransportProviders.open(name, options));
  }

  @Override
  public void close() {
    Map<String, Transport> all;
    synchronized (this) {
      closed = true;
      all = Map.copyOf(open);
      open.clear();
    }
    all.values().forEach(Transport::close);
  }
}
