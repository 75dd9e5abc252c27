package io.weirmq.transport;

import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** Finds the transports on the class path. Stateless. */
public final class TransportProviders {

  private TransportProviders() {}

  /** Returns the first provider that serves a scheme; empty where none does. */
  public static Optional<TransportProvider> find(String scheme) {
    return ServiceLoader.load(TransportProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.schemes().contains(scheme))
        .findFirst();
  }

  /**
   * Opens the transport that serves a scheme.
   *
   * @throws IllegalArgumentException where no transport on the class path does; the message names
   *     those that are there
   */
  public static Transport open(String scheme, TransportOptions options) {
    return find(scheme)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no transport serves \"%s\"; on the class path: %s"
                        .formatted(scheme, schemes())))
        .open(options);
  }

  private static Set<String> schemes() {
    Set<String> all = new TreeSet<>();
    for (TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
      all.addAll(provider.schemes());
    }
    return all;
  }
}
