package io.weirmq.client.ipc;

import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import io.weirmq.transport.TransportProviders;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides how a broker's address is reached, anew at each connect: endpoints come and go with
 * brokers. Safe for use by several threads.
 */
final class BrokerRoutes {

  private static final Logger LOG = LoggerFactory.getLogger(BrokerRoutes.class);

  private static final String LOCAL_SCHEME = "shm";

  private final TransportMode mode;
  private final LocalEndpoints endpoints;
  private final AtomicBoolean fallbackTold = new AtomicBoolean();

  BrokerRoutes(IpcClientOptions options) {
    this.mode = options.transport();
    this.endpoints =
        options.runtimeFolder().map(LocalEndpoints::in).orElseGet(LocalEndpoints::ofSystem);
  }

  /**
   * A way to a broker.
   *
   * @param first where to connect to
   * @param otherwise where to connect to if that fails; empty for nowhere
   */
  record Route(Endpoint first, Optional<Endpoint> otherwise) {}

  /**
   * Returns the way to an address. Reads a small file, and may ask a name server.
   *
   * @param address where the broker listens, a path or a TCP port
   * @throws IpcException where it must be reached through shared memory, and can't
   */
  Route to(Endpoint address) throws IpcException {
    if (address.isPath() || mode == TransportMode.TCP) {
      return new Route(address, Optional.empty());
    }
    LocalEndpoints.Lookup found = endpoints.lookup(address.host(), address.port());
    boolean usable = found.endpoint().isPresent() && isLocalServed();
    String reason =
        usable || found.endpoint().isEmpty() ? found.reason() : "no transport serves it";
    if (mode == TransportMode.SHM) {
      return new Route(
          found.endpoint().filter(local -> usable).orElseThrow(() -> unreachable(address, reason)),
          Optional.empty());
    }
    if (usable) {
      return new Route(found.endpoint().orElse(address), Optional.of(address));
    }
    if (!fallbackTold.get() && isOfThisHost(address.host())) {
      tellFallback(address, reason);
    }
    return new Route(address, Optional.empty());
  }

  private static IpcException unreachable(Endpoint address, String reason) {
    return new IpcException(
        "broker at %s can't be reached through shared memory, and transport=shm allows nothing else: %s"
            .formatted(address, reason),
        null);
  }

  /** Says once why TCP is taken to a broker of this host. */
  void tellFallback(Endpoint address, String reason) {
    if (fallbackTold.compareAndSet(false, true)) {
      LOG.info(
          "broker {} of this host is reached over TCP, not through shared memory: {}. Further cases"
              + " are not logged",
          address,
          reason);
    }
  }

  private static boolean isLocalServed() {
    return TransportProviders.find(LOCAL_SCHEME).isPresent();
  }

  private static boolean isOfThisHost(String host) {
    try {
      InetAddress address = InetAddress.getByName(host);
      return address.isLoopbackAddress()
          || address.isAnyLocalAddress()
          || NetworkInterface.getByInetAddress(address) != null;
    } catch (UnknownHostException | SocketException e) {
      return false; // nothing can be said to be local
    }
  }
}
