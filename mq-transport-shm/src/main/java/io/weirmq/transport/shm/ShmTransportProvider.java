package io.weirmq.transport.shm;

import io.weirmq.transport.PolledTransport;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProvider;
import io.weirmq.transport.shm.internal.Environment;
import io.weirmq.transport.shm.internal.PolledShmTransport;
import io.weirmq.transport.shm.internal.ShmTransport;
import io.weirmq.transport.shm.internal.folder.MappingLedger;
import io.weirmq.transport.shm.internal.folder.OwnUser;
import io.weirmq.transport.shm.internal.handshake.HandshakeLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;

/**
 * Provides {@code shm} endpoints. Immutable.
 *
 * <p>Properties of {@link TransportOptions#properties()} win over the {@link ShmOptions} that it
 * was made with; {@link ShmOptions#with} lists them.
 */
public final class ShmTransportProvider implements TransportProvider {

  private final ShmOptions options;

  /** Uses the defaults; the constructor of the service loader. */
  public ShmTransportProvider() {
    this(ShmOptions.defaults());
  }

  /** Uses the given ring sizes and wait strategy. */
  public ShmTransportProvider(ShmOptions options) {
    this.options = options;
  }

  @Override
  public Set<String> schemes() {
    return Set.of("shm");
  }

  /**
   * Opens a transport and starts its threads.
   *
   * @throws IllegalArgumentException where a property is not known or malformed
   * @throws UncheckedIOException where the system gives no selector, or does not tell the user
   */
  @Override
  public Transport open(TransportOptions transportOptions) {
    ShmOptions effective = options.with(transportOptions.properties());
    try {
      return ShmTransport.open(transportOptions, effective, environment());
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  /**
   * Opens a transport without threads.
   *
   * @throws IllegalArgumentException as {@link #open} does
   * @throws UncheckedIOException as {@link #open} does
   */
  @Override
  public Optional<PolledTransport> openPolled(TransportOptions transportOptions) {
    ShmOptions effective = options.with(transportOptions.properties());
    try {
      return Optional.of(PolledShmTransport.open(transportOptions, effective, environment()));
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  private static Environment environment() throws IOException {
    return new Environment(
        System::nanoTime,
        new SecureRandom(),
        OwnUser.find(),
        HandshakeLimits.defaults(),
        MappingLedger.create());
  }

  private static UncheckedIOException unusable(IOException cause) {
    return new UncheckedIOException(String.valueOf(cause.getMessage()), cause);
  }
}
