package io.weirmq.transport;

import org.jspecify.annotations.Nullable;

/**
 * Receives the events of one connection, from one thread at a time, in order: {@code onOpen}, then
 * any number of {@code onFrame} and {@code onWritabilityChanged}, then {@code onClosed} once.
 *
 * <p>Callbacks must not block. An exception out of a callback closes this connection, and no other.
 */
public interface ConnectionHandler {

  /** Called first. */
  void onOpen(Connection connection);

  /**
   * Called for each frame.
   *
   * @param frame transferred: the handler releases it, in this call or later, from any thread
   */
  void onFrame(Connection connection, InboundFrame frame);

  /** Called when {@link Connection#isWritable()} has changed. */
  default void onWritabilityChanged(Connection connection, boolean writable) {}

  /**
   * Called last.
   *
   * @param cause why the connection ended, or null where one side closed it in good order
   */
  void onClosed(Connection connection, @Nullable Throwable cause);

  /** Makes the handler of each accepted connection. */
  @FunctionalInterface
  interface Factory {

    /** Returns the handler of a connection that a listener has accepted. */
    ConnectionHandler create(Connection connection);
  }
}
