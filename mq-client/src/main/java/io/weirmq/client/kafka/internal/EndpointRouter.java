package io.weirmq.client.kafka.internal;

import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;

/** Decides how a broker's address is reached, anew at each connect. Immutable. */
public final class EndpointRouter {

  private final boolean sharedMemoryOnly;
  private final Optional<Endpoint> folder;
  private final LocalEndpoints endpoints;

  /**
   * Makes a router.
   *
   * @param sharedMemoryOnly whether TCP is no way at all
   * @param folder endpoint that is taken without a look-up
   * @param endpoints where brokers of this host publish theirs
   */
  public EndpointRouter(
      boolean sharedMemoryOnly, Optional<Endpoint> folder, LocalEndpoints endpoints) {
    this.sharedMemoryOnly = sharedMemoryOnly;
    this.folder = folder;
    this.endpoints = endpoints;
  }

  /** A way to a broker. */
  sealed interface Route {

    /**
     * Through shared memory.
     *
     * @param endpoint where to connect to
     * @param orTcp whether TCP is tried where that fails
     */
    record Local(Endpoint endpoint, boolean orTcp) implements Route {}

    /**
     * Over TCP.
     *
     * @param reason why, for a broker of this host; empty for brokers elsewhere
     */
    record Tcp(Optional<String> reason) implements Route {}

    /**
     * Not at all.
     *
     * @param reason why
     */
    record None(String reason) implements Route {}
  }

  /** Whether connections over TCP are forbidden. */
  boolean isSharedMemoryOnly() {
    return sharedMemoryOnly;
  }

  /** Returns the way to an address. Reads a small file; asks no name server. */
  Route route(InetSocketAddress address) {
    InetAddress host = address.getAddress();
    boolean local = host != null && isOfThisHost(host);
    if (folder.isPresent() && (local || sharedMemoryOnly)) {
      return new Route.Local(folder.get(), !sharedMemoryOnly);
    }
    if (host == null || !local) {
      return sharedMemoryOnly
          ? new Route.None(address + " is not an address of this host")
          : new Route.Tcp(Optional.empty());
    }
    LocalEndpoints.Lookup found = endpoints.lookup(host.getHostAddress(), address.getPort());
    if (found.endpoint().isPresent()) {
      return new Route.Local(found.endpoint().get(), !sharedMemoryOnly);
    }
    return sharedMemoryOnly
        ? new Route.None(found.reason())
        : new Route.Tcp(Optional.of(found.reason()));
  }

  private static boolean isOfThisHost(InetAddress host) {
    if (host.isLoopbackAddress() || host.isAnyLocalAddress()) {
      return true;
    }
    try {
      return NetworkInterface.getByInetAddress(host) != null;
    } catch (SocketException e) {
      return false; // the system does not tell its interfaces: nothing can be said to be local
    }
  }
}
