package io.weirmq.server.internal.request;

/**
 * How far one connection may run ahead of its answers. Immutable.
 *
 * @param requestsInFlightMax requests taken in whose responses have not left yet; at this number
 *     the connection is not read from
 * @param bytesInFlightMax bytes of those requests; at this number the connection is not read from.
 *     One request may exceed it
 */
public record RequestLimits(int requestsInFlightMax, long bytesInFlightMax) {

  /** Checks the limits. */
  public RequestLimits {
    if (requestsInFlightMax < 1 || bytesInFlightMax < 1) {
      throw new IllegalArgumentException(
          "limits must be 1 or more: requestsInFlightMax %d, bytesInFlightMax %d"
              .formatted(requestsInFlightMax, bytesInFlightMax));
    }
  }

  /**
   * Returns the defaults: 128 requests (25 times what a Java producer keeps in flight) and 8 MiB.
   */
  public static RequestLimits defaults() {
    return new RequestLimits(128, 8L * 1024 * 1024);
  }
}
