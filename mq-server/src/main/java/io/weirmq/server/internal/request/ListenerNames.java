package io.weirmq.server.internal.request;

/**
 * How a listener is called. Immutable.
 *
 * @param name its own name, {@code PLAINTEXT} for instance
 * @param advertised the listener whose addresses its clients are told; another one where it has no
 *     address that could be told, as on shared memory
 */
public record ListenerNames(String name, String advertised) {

  /** Returns the names of a listener whose clients are told its own addresses. */
  public static ListenerNames of(String name) {
    return new ListenerNames(name, name);
  }
}
