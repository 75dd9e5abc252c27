package io.weirmq.transport;

import java.util.Optional;
import java.util.Set;

/**
 * Factory of one kind of transport, found by {@link java.util.ServiceLoader}.
 *
 * <p>A provider holds nothing: threads and memory begin with {@link #open}. Immutable.
 */
public interface TransportProvider {

  /** The endpoint schemes served, in lower case; {@code tcp} for instance. */
  Set<String> schemes();

  /**
   * Opens a transport with threads of its own.
   *
   * @throws IllegalArgumentException where the options do not suit this transport, or a property of
   *     one of its schemes has a name that it does not know or a malformed value
   */
  Transport open(TransportOptions options);

  /**
   * Opens a transport without threads, which its user polls. An optional capability.
   *
   * @return empty where this kind of transport needs threads of its own
   * @throws IllegalArgumentException as {@link #open} does
   */
  default Optional<PolledTransport> openPolled(TransportOptions options) {
    return Optional.empty();
  }
}
