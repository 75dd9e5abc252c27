package io.weirmq.server.config;

import io.weirmq.server.config.ListenerSettings.HostPort;
import io.weirmq.server.config.ListenerSettings.ListenerSetting;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * Decides what clients are told about each listener. Immutable.
 *
 * <table>
 *   <caption>The rule</caption>
 *   <tr><th>bound to</th><th>advertised.listeners</th><th>clients are told</th></tr>
 *   <tr><td>anything</td><td>NAME://host:port</td><td>host:port; for port 0 the bound one</td></tr>
 *   <tr><td>a host</td><td>not given</td><td>that host and the bound port</td></tr>
 *   <tr><td>all interfaces</td><td>not given</td><td>the machine's canonical name where it
 *       resolves, else 127.0.0.1, and the bound port</td></tr>
 * </table>
 *
 * <p>A wildcard address is never told to clients: they would connect to themselves.
 */
public final class AdvertisedListeners {

  private static final String LOOPBACK = "127.0.0.1";

  private final HostNames hostNames;

  /** Makes the rule over a source of host names. */
  public AdvertisedListeners(HostNames hostNames) {
    this.hostNames = hostNames;
  }

  /**
   * Returns what clients are told, in the order of the listeners.
   *
   * @param settings the listeners
   * @param boundPort gives the port that a listener, by name, is bound to
   */
  public List<AdvertisedListener> resolve(
      ListenerSettings settings, ToIntFunction<String> boundPort) {
    return settings.listeners().stream()
        .map(listener -> resolve(listener, boundPort.applyAsInt(listener.name())))
        .toList();
  }

  private AdvertisedListener resolve(ListenerSetting listener, int boundPort) {
    if (listener.advertised().isPresent()) {
      HostPort told = listener.advertised().get();
      int port = told.port() == 0 ? boundPort : told.port();
      return listener(listener, boundPort, told.host(), port, unresolvable(told.host()));
    }
    if (!listener.bindsToAll()) {
      return listener(listener, boundPort, listener.bindHost(), boundPort, Optional.empty());
    }
    Optional<String> name = canonicalName();
    String host = name.orElse(LOOPBACK);
    String reason =
        name.isPresent()
            ? "clients are told the host name of this machine"
            : "the host name of this machine does not resolve, so that only clients on it are served";
    String remark =
        "%s is bound to all interfaces and %s; set %s=%s://HOST:%d to the address that clients use"
            .formatted(
                listener.name(),
                reason,
                NodeKeys.ADVERTISED_LISTENERS.name(),
                listener.name(),
                boundPort);
    return listener(listener, boundPort, host, boundPort, Optional.of(remark));
  }

  /** A name for the loopback only is as good as its address, which has no second meaning. */
  private Optional<String> canonicalName() {
    return hostNames
        .canonicalName()
        .filter(name -> !ListenerSettings.isWildcard(name))
        .filter(name -> !name.startsWith("localhost"))
        .filter(hostNames::resolves);
  }

  private Optional<String> unresolvable(String host) {
    return hostNames.resolves(host)
        ? Optional.empty()
        : Optional.of(
            "%s names %s, which does not resolve on this machine; clients that can't resolve it"
                    .formatted(NodeKeys.ADVERTISED_LISTENERS.name(), host)
                + " either will not get beyond their first request");
  }

  private static AdvertisedListener listener(
      ListenerSetting listener, int boundPort, String host, int port, Optional<String> remark) {
    String bindHost = listener.bindsToAll() ? "" : listener.bindHost();
    return new AdvertisedListener(listener.name(), bindHost, boundPort, host, port, remark);
  }
}
