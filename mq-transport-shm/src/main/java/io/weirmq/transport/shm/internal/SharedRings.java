package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.folder.MappingLedger;
import io.weirmq.transport.shm.internal.folder.RingSizes;
import io.weirmq.transport.shm.internal.handshake.Established;
import io.weirmq.transport.shm.internal.ring.RingMemory;
import io.weirmq.transport.shm.internal.ring.RingReader;
import io.weirmq.transport.shm.internal.ring.RingViolationException;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The two rings of a connection as one side sees them.
 *
 * @param readerBytes capacity of the ring that is read
 * @param writerBytes capacity of the ring that is written
 * @param onUnused to be run when the rings are not used any more
 */
record SharedRings(
    SocketChannel socket,
    RingReader reader,
    int readerBytes,
    RingWriter writer,
    int writerBytes,
    Runnable onUnused) {

  /** The listening side's view. */
  static SharedRings ofServer(Established established, MappingLedger ledger)
      throws RingViolationException {
    RingSizes sizes = established.rings().sizes();
    ByteBuffer memory = established.rings().memory();
    return of(
        established,
        ledger,
        sizes.toServer(memory),
        sizes.toServerBytes(),
        sizes.toClient(memory),
        sizes.toClientBytes());
  }

  /** The connecting side's view. */
  static SharedRings ofClient(Established established, MappingLedger ledger)
      throws RingViolationException {
    RingSizes sizes = established.rings().sizes();
    ByteBuffer memory = established.rings().memory();
    return of(
        established,
        ledger,
        sizes.toClient(memory),
        sizes.toClientBytes(),
        sizes.toServer(memory),
        sizes.toServerBytes());
  }

  private static SharedRings of(
      Established established,
      MappingLedger ledger,
      ByteBuffer read,
      int readBytes,
      ByteBuffer written,
      int writtenBytes)
      throws RingViolationException {
    long bytes = established.rings().memory().capacity();
    ledger.mapped(established.rings().memory());
    try {
      return new SharedRings(
          established.socket(),
          new RingReader(RingMemory.attach(read), 0),
          readBytes,
          new RingWriter(RingMemory.attach(written), 0),
          writtenBytes,
          () -> ledger.closed(bytes));
    } catch (RingViolationException e) {
      ledger.closed(bytes);
      throw e;
    }
  }
}
