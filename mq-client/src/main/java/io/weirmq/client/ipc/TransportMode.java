package io.weirmq.client.ipc;

/** Which way an {@link IpcClient} takes to a broker; as the property {@code transport}. */
public enum TransportMode {
  /**
   * Shared memory to a broker of this host that offers it to this user, TCP to all others and where
   * shared memory can't be had. A client logs once, at level INFO, that it went to TCP although the
   * broker is of this host, and why.
   */
  AUTO,

  /** TCP only. */
  TCP,

  /**
   * Shared memory only: brokers that can't be reached so are unreachable, and the error says why.
   */
  SHM
}
