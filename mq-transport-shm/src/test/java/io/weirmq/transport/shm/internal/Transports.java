package io.weirmq.transport.shm.internal;

import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.ShmOptions;
import io.weirmq.transport.shm.internal.folder.MappingLedger;
import io.weirmq.transport.shm.internal.folder.OwnUser;
import io.weirmq.transport.shm.internal.handshake.HandshakeLimits;
import java.io.IOException;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.Random;

/** Opens transports with what a test wants to give them. */
final class Transports {

  /** Rings of 64 KiB, which many tests fill quickly. */
  static final ShmOptions SMALL = ShmOptions.defaults().withRingBounds(64 * 1024, 64 * 1024);

  private Transports() {}

  static ShmTransport open() throws IOException {
    return open(TransportOptions.defaults());
  }

  static ShmTransport open(TransportOptions options) throws IOException {
    return open(options, HandshakeLimits.defaults(), OwnUser.find(), MappingLedger.create());
  }

  static ShmTransport openWith(MappingLedger ledger) throws IOException {
    return open(TransportOptions.defaults(), HandshakeLimits.defaults(), OwnUser.find(), ledger);
  }

  static ShmTransport openWithHandshakes(int underWayMax, Duration timeout) throws IOException {
    return open(
        TransportOptions.defaults(),
        new HandshakeLimits(underWayMax, timeout),
        OwnUser.find(),
        MappingLedger.create());
  }

  static ShmTransport openAs(UserPrincipal self) throws IOException {
    return open(
        TransportOptions.defaults(), HandshakeLimits.defaults(), self, MappingLedger.create());
  }

  private static ShmTransport open(
      TransportOptions options, HandshakeLimits limits, UserPrincipal self, MappingLedger ledger)
      throws IOException {
    return ShmTransport.open(
        options, SMALL, new Environment(System::nanoTime, new Random(7), self, limits, ledger));
  }
}
