package io.weirmq.client.ipc;

import io.weirmq.transport.Endpoint;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * How a process reaches its broker. Immutable; start from {@link #of(Endpoint)}.
 *
 * @param bootstrap a broker: {@code shm:/path}, or {@code tcp://host:port}. A TCP port of this
 *     machine is only a name: where its broker {@linkplain
 *     io.weirmq.transport.LocalEndpoints#publish publishes} a local endpoint, that one is used
 * @param findLocal whether TCP ports are looked up that way
 * @param clientId the name under which the broker knows us, 1 to {@value #CLIENT_ID_LENGTH_MAX}
 *     characters of ASCII
 * @param timeout how long one request to the broker may take, and how long {@code close} waits
 * @param reconnectBackoff least time between two attempts to connect again
 * @param clock time of day, for the timestamps of records
 * @param nanoClock monotonic clock, nanoseconds
 */
public record IpcClientOptions(
    Endpoint bootstrap,
    boolean findLocal,
    String clientId,
    Duration timeout,
    Duration reconnectBackoff,
    InstantSource clock,
    LongSupplier nanoClock) {

  /** Longest client id. */
  public static final int CLIENT_ID_LENGTH_MAX = 100;

  /** Checks the values. */
  public IpcClientOptions {
    if (clientId.isEmpty()
        || clientId.length() > CLIENT_ID_LENGTH_MAX
        || !clientId.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new IllegalArgumentException(
          "client id '%s' is not 1 to %d visible characters of ASCII"
              .formatted(clientId, CLIENT_ID_LENGTH_MAX));
    }
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("timeout is " + timeout + ", expected more than zero");
    }
    if (reconnectBackoff.toMillis() < 1) {
      throw new IllegalArgumentException(
          "reconnectBackoff is " + reconnectBackoff + ", expected at least 1 ms");
    }
  }

  /** Returns the defaults for a broker: ten seconds per request, the system's clocks. */
  public static IpcClientOptions of(Endpoint bootstrap) {
    return new IpcClientOptions(
        bootstrap,
        true,
        "weirmq-ipc",
        Duration.ofSeconds(10),
        Duration.ofMillis(20),
        InstantSource.system(),
        System::nanoTime);
  }

  /** Returns these options with another client id. */
  public IpcClientOptions withClientId(String id) {
    return new IpcClientOptions(
        bootstrap, findLocal, id, timeout, reconnectBackoff, clock, nanoClock);
  }

  /** Returns these options with or without a look for local endpoints. */
  public IpcClientOptions withFindLocal(boolean find) {
    return new IpcClientOptions(
        bootstrap, find, clientId, timeout, reconnectBackoff, clock, nanoClock);
  }

  /** Returns these options with another time-out. */
  public IpcClientOptions withTimeout(Duration newTimeout) {
    return new IpcClientOptions(
        bootstrap, findLocal, clientId, newTimeout, reconnectBackoff, clock, nanoClock);
  }

  /** Returns these options with another pause between two attempts to connect. */
  public IpcClientOptions withReconnectBackoff(Duration backoff) {
    return new IpcClientOptions(bootstrap, findLocal, clientId, timeout, backoff, clock, nanoClock);
  }

  /** Returns these options with other clocks. */
  public IpcClientOptions withClocks(InstantSource newClock, LongSupplier newNanoClock) {
    return new IpcClientOptions(
        bootstrap, findLocal, clientId, timeout, reconnectBackoff, newClock, newNanoClock);
  }
}
