package io.weirmq.transport.shm.internal.loop;

/** The attachment of a key: hears that its channel is ready. */
@FunctionalInterface
public interface SocketEvents {

  /** Called on the loop where the channel is ready. Throws nothing. */
  void ready();
}
