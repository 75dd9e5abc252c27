package io.weirmq.transport;

import java.io.IOException;
import java.util.concurrent.CompletionStage;

/**
 * An open transport: it owns its I/O threads (but see {@link PolledTransport}), its listeners and
 * its connections.
 *
 * <p>Safe for use by several threads.
 */
public interface Transport extends AutoCloseable {

  /**
   * Binds an endpoint and accepts connections from then on. Blocks while it binds; not to be called
   * from a callback.
   *
   * @param endpoint where to listen; port 0 takes a free port, see {@link Listener#endpoint()}
   * @param handlers makes the handler of each accepted connection
   * @throws IOException where the endpoint can't be bound or the transport is closed; the message
   *     names the endpoint
   */
  Listener listen(Endpoint endpoint, ConnectionHandler.Factory handlers) throws IOException;

  /**
   * Connects to a listener. Never blocks. Where the connection can't be made, the handler sees no
   * callback at all.
   *
   * @return completes with the open connection after {@link ConnectionHandler#onOpen}, or with an
   *     {@link IOException} that names the endpoint
   */
  CompletionStage<Connection> connect(Endpoint endpoint, ConnectionHandler handler);

  /**
   * Closes all listeners and connections and ends all threads; returns when they have ended, after
   * a bounded time: frames already sent get a moment to leave, then connections are cut. Closing
   * again does nothing.
   *
   * @throws IllegalStateException where it is called from a callback, as the calling thread is one
   *     of those to end
   */
  @Override
  void close();
}
