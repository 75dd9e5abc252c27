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
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides how a broker's address is reached, anew at each connect: endpoints come and go with
 * brokers. Safe for use by several threads.
 */
final class BrokerRoutes {

  private static final Logger LOG = LoggerFactory.getLogger(BrokerRoutes.class);

  private static final String LOCAL_SCHEME = "shm";
  private static final String LOCALHOST = "localhost";

  private static final String OCTET = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";

  /** What {@link InetAddress#getByName} takes for an address, or refuses, but never looks up. */
  private static final Pattern NUMERIC =
      Pattern.compile(OCTET + "(\\." + OCTET + "){3}|\\p{XDigit}*:[\\p{XDigit}:.]*(%.*)?");

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
   * Returns the way to an address. Reads a small file, and asks a name server at most where {@link
   * #mayAskNameServer} says so.
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

  /**
   * Whether {@link #to} may ask a name server, and so block for long: a broker of this host may be
   * known by any name of it, and the file that it has published must be its own.
   */
  boolean mayAskNameServer(Endpoint address) {
    return !address.isPath() && mode != TransportMode.TCP && !needsNoLookup(address.host());
  }

  static boolean needsNoLookup(String host) {
    return host.isEmpty() || host.equalsIgnoreCase(LOCALHOST) || NUMERIC.matcher(host).matches();
  }

  /** False for all names but one: to look them up is too much for a line in a log. */
  private static boolean isOfThisHost(String host) {
    if (host.equalsIgnoreCase(LOCALHOST)) {
      return true;
    }
    if (!needsNoLookup(host)) {
      return false;
    }
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
