package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.folder.MappingLedger;
import io.weirmq.transport.shm.internal.folder.RingFile;
import io.weirmq.transport.shm.internal.folder.RingSizes;
import io.weirmq.transport.shm.internal.handshake.Established;
import io.weirmq.transport.shm.internal.ring.RingMemory;
import io.weirmq.transport.shm.internal.ring.RingReader;
import io.weirmq.transport.shm.internal.ring.RingViolationException;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.nio.ByteBuffer;

/**
 * The two rings of a connection as one side sees them.
 *
 * @param isOfServer whether this is the listening side's view
 * @param file the memory of both
 * @param readerBytes capacity of the ring that is read
 * @param writerBytes capacity of the ring that is written
 * @param ledger where the mapping is entered
 */
record SharedRings(
    boolean isOfServer,
    RingFile file,
    RingReader reader,
    int readerBytes,
    RingWriter writer,
    int writerBytes,
    MappingLedger ledger)
    implements AutoCloseable {

  /** Notes that the memory is not used any more, and closes its file. */
  @Override
  public void close() {
    ledger.closed(file.sizes().fileBytes());
    file.close();
  }

  /** The listening side's view. */
  static SharedRings ofServer(Established established, MappingLedger ledger)
      throws RingViolationException {
    RingSizes sizes = established.rings().sizes();
    ByteBuffer memory = established.rings().memory();
    return of(
        true,
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
        false,
        established,
        ledger,
        sizes.toClient(memory),
        sizes.toClientBytes(),
        sizes.toServer(memory),
        sizes.toServerBytes());
  }

  private static SharedRings of(
      boolean isOfServer,
      Established established,
      MappingLedger ledger,
      ByteBuffer read,
      int readBytes,
      ByteBuffer written,
      int writtenBytes)
      throws RingViolationException {
    ledger.mapped(established.rings().memory());
    try {
      return new SharedRings(
          isOfServer,
          established.rings(),
          new RingReader(RingMemory.attach(read), 0),
          readBytes,
          new RingWriter(RingMemory.attach(written), 0),
          writtenBytes,
          ledger);
    } catch (RingViolationException e) {
      ledger.closed(established.rings().sizes().fileBytes());
      throw e;
    }
  }
}
