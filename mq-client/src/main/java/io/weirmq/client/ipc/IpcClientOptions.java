package io.weirmq.client.ipc;

import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How a process reaches its broker. Immutable; start from {@link #of(Endpoint)}.
 *
 * @param bootstrap a broker: {@code shm:/path}, or {@code tcp://host:port}. A TCP port of this
 *     machine is only a name with {@link TransportMode#AUTO}: where its broker {@linkplain
 *     LocalEndpoints#publish publishes} a local endpoint, that one is used
 * @param transport which way is taken to brokers that are named by TCP ports
 * @param runtimeFolder where brokers of this host publish their endpoints, an absolute path; empty
 *     for the user's own, see {@link LocalEndpoints#ofSystem()}. The same as {@code
 *     shm.runtime.folder}
 * @param transportProperties what the transports themselves are to be told, under the names of
 *     docs/configuration.md: {@code shm.wait.strategy}, {@code shm.send.ring.bytes}, {@code
 *     shm.receive.ring.bytes}. A value that is not allowed is told by the first connect
 * @param clientId the name under which the broker knows us, 1 to {@value #CLIENT_ID_LENGTH_MAX}
 *     characters of ASCII
 * @param timeout how long one request to the broker may take, and how long {@code close} waits
 * @param reconnectBackoff pause before the first attempt to connect again, or to send again what
 *     was refused for now, 1 ms or more; each further one is twice as long, up to a second
 * @param clock time of day, for the timestamps of records
 * @param nanoClock monotonic clock, nanoseconds
 */
public record IpcClientOptions(
    Endpoint bootstrap,
    TransportMode transport,
    Optional<Path> runtimeFolder,
    Map<String, String> transportProperties,
    String clientId,
    Duration timeout,
    Duration reconnectBackoff,
    InstantSource clock,
    LongSupplier nanoClock) {

  /** Longest client id. */
  public static final int CLIENT_ID_LENGTH_MAX = 100;

  /** Checks the values. */
  public IpcClientOptions {
    transportProperties = Map.copyOf(transportProperties);
    if (bootstrap.isPath() && transport == TransportMode.TCP) {
      throw new IllegalArgumentException(
          "transport is TCP, and %s is no TCP port".formatted(bootstrap));
    }
    if (runtimeFolder.isPresent() && !runtimeFolder.get().isAbsolute()) {
      throw new IllegalArgumentException(
          "runtimeFolder is " + runtimeFolder.get() + ", expected an absolute path");
    }
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
        TransportMode.AUTO,
        Optional.empty(),
        Map.of(),
        "weirmq-ipc",
        Duration.ofSeconds(10),
        Duration.ofMillis(20),
        InstantSource.system(),
        System::nanoTime);
  }

  /** Returns these options with another client id. */
  public IpcClientOptions withClientId(String id) {
    return new IpcClientOptions(
        bootstrap,
        transport,
        runtimeFolder,
        transportProperties,
        id,
        timeout,
        reconnectBackoff,
        clock,
        nanoClock);
  }

  /** Returns these options with another choice of transports. */
  public IpcClientOptions withTransport(TransportMode mode) {
    return new IpcClientOptions(
        bootstrap,
        mode,
        runtimeFolder,
        transportProperties,
        clientId,
        timeout,
        reconnectBackoff,
        clock,
        nanoClock);
  }

  /** Returns these options with another folder in which endpoints are looked up. */
  public IpcClientOptions withRuntimeFolder(Path folder) {
    return new IpcClientOptions(
        bootstrap,
        transport,
        Optional.of(folder),
        transportProperties,
        clientId,
        timeout,
        reconnectBackoff,
        clock,
        nanoClock);
  }

  /** Returns these options with other properties of transports, in place of all. */
  public IpcClientOptions withTransportProperties(Map<String, String> properties) {
    return new IpcClientOptions(
        bootstrap,
        transport,
        runtimeFolder,
        properties,
        clientId,
        timeout,
        reconnectBackoff,
        clock,
        nanoClock);
  }

  /** Returns these options with another time-out. */
  public IpcClientOptions withTimeout(Duration newTimeout) {
    return new IpcClientOptions(
        bootstrap,
        transport,
        runtimeFolder,
        transportProperties,
        clientId,
        newTimeout,
        reconnectBackoff,
        clock,
        nanoClock);
  }

  /** Returns these options with another first pause between two attempts. */
  public IpcClientOptions withReconnectBackoff(Duration backoff) {
    return new IpcClientOptions(
        bootstrap,
        transport,
        runtimeFolder,
        transportProperties,
        clientId,
        timeout,
        backoff,
        clock,
        nanoClock);
  }

  /** Returns these options with other clocks. */
  public IpcClientOptions withClocks(InstantSource newClock, LongSupplier newNanoClock) {
    return new IpcClientOptions(
        bootstrap,
        transport,
        runtimeFolder,
        transportProperties,
        clientId,
        timeout,
        reconnectBackoff,
        newClock,
        newNanoClock);
  }
}
