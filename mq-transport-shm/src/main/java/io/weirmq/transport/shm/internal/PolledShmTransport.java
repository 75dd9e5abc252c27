package io.weirmq.transport.shm.internal;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.PolledTransport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.ShmOptions;
import java.io.IOException;
import java.util.concurrent.CompletionStage;

/**
 * Shared memory without threads: a {@link ShmTransport} whose one loop, handshakes included, is run
 * by those who poll. Safe for use by several threads as {@link PolledTransport} says.
 */
public final class PolledShmTransport implements PolledTransport {

  private final ShmTransport transport;

  private PolledShmTransport(ShmTransport transport) {
    this.transport = transport;
  }

  /**
   * Opens a transport; starts nothing.
   *
   * @throws IOException as {@link ShmTransport#open} does
   */
  public static PolledShmTransport open(
      TransportOptions options, ShmOptions shmOptions, Environment environment) throws IOException {
    return new PolledShmTransport(ShmTransport.openPolled(options, shmOptions, environment));
  }

  @Override
  public int poll(long timeoutMillis) {
    return transport.poll(timeoutMillis);
  }

  @Override
  public void wakeup() {
    transport.wakeup();
  }

  @Override
  public Listener listen(Endpoint endpoint, ConnectionHandler.Factory handlers) throws IOException {
    return transport.listen(endpoint, handlers);
  }

  @Override
  public CompletionStage<Connection> connect(Endpoint endpoint, ConnectionHandler handler) {
    return transport.connect(endpoint, handler);
  }

  @Override
  public void close() {
    transport.close();
  }
}
