package io.weirmq.transport;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/** What is known of this machine's network. Safe for use by several threads. */
interface LocalNetwork {

  /**
   * Tells two network namespaces apart, of which each has port numbers of its own; empty where the
   * system does not have them or does not tell.
   */
  Optional<String> identity();

  /**
   * Returns all addresses of a host, at least one.
   *
   * @throws UnknownHostException where there is no such host
   */
  List<InetAddress> resolve(String host) throws UnknownHostException;

  /** Whether a connect to this address ends on this machine. */
  boolean isOwn(InetAddress address);
}
