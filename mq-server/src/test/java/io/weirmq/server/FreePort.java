package io.weirmq.server;

import java.io.IOException;
import java.net.ServerSocket;

/** Ports for brokers whose port has to be known before they start, or to last over starts. */
final class FreePort {

  private FreePort() {}

  /** Returns a port that was free a moment ago. */
  static int find() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
