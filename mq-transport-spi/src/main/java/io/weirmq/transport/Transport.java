package io.weirmq.transport;

import java.io.IOException;
import java.util.concurrent.CompletionStage;

/**
 * An open transport: it owns its I/O threads, its listeners and its connections.
 *
 * <p>Safe for use by several threads.
 */
public interface Transport extends AutoCloseable {

  /**
   * Binds an endpoint and accepts connections from then on.
   *
   * @param endpoint where to listen; port 0 takes a free port, see {@link Listener#endpoint()}
   * @param handlers makes the handler of each accepted connection
   * @throws IOException where the endpoint can't be bound; the message names it
   */
  Listener listen(Endpoint endpoint, ConnectionHandler.Factory handlers) throws IOException;

  /**
   * Connects to a listener.
   *
   * @return completes with the open connection after {@link ConnectionHandler#onOpen}, or with an
   *     {@link IOException} that names the endpoint
   */
  CompletionStage<Connection> connect(Endpoint endpoint, ConnectionHandler handler);

  /**
   * Closes all listeners and connections and ends all threads; returns when they have ended.
   * Closing again does nothing.
   */
  @Override
  void close();
}
