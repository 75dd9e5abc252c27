package io.weirmq.bench.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports for processes that are about to start. Stateless. */
public final class Ports {

  private Ports() {}

  /**
   * A TCP port of the loopback address that was free a moment ago; another process may take it.
   *
   * @throws IOException where the system has none
   */
  public static int free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
