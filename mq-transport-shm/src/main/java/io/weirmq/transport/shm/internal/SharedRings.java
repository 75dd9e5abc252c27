package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.folder.RingFile;
import io.weirmq.transport.shm.internal.folder.RingSizes;
import io.weirmq.transport.shm.internal.handshake.Established;
import io.weirmq.transport.shm.internal.ring.RingMemory;
import io.weirmq.transport.shm.internal.ring.RingReader;
import io.weirmq.transport.shm.internal.ring.RingViolationException;
import io.weirmq.transport.shm.internal.ring.RingWriter;

/**
 * The two rings of a connection as one side sees them.
 *
 * @param isOfServer whether this is the listening side's view
 * @param file the memory of both
 * @param readerBytes capacity of the ring that is read
 * @param writerBytes capacity of the ring that is written
 */
record SharedRings(
    boolean isOfServer,
    RingFile file,
    RingReader reader,
    int readerBytes,
    RingWriter writer,
    int writerBytes)
    implements AutoCloseable {

  /** Notes that the memory is not used any more, and closes its file. */
  @Override
  public void close() {
    file.close();
  }

  /**
   * The listening side's view. The memory is not touched: the peer may have cut its file by now,
   * which shows where the connection is served.
   */
  static SharedRings ofServer(Established established) {
    RingFile file = established.rings();
    RingSizes sizes = file.sizes();
    return new SharedRings(
        true,
        file,
        new RingReader(RingMemory.own(sizes.toServer(file.memory())), 0),
        sizes.toServerBytes(),
        new RingWriter(RingMemory.own(sizes.toClient(file.memory())), 0),
        sizes.toClientBytes());
  }

  /**
   * The connecting side's view.
   *
   * @throws RingViolationException where the memory is not what a listener makes, or is cut
   */
  static SharedRings ofClient(Established established) throws RingViolationException {
    RingFile file = established.rings();
    RingSizes sizes = file.sizes();
    SharedRings rings = null;
    InternalError fault = null;
    try {
      rings =
          new SharedRings(
              false,
              file,
              new RingReader(RingMemory.attach(sizes.toClient(file.memory())), 0),
              sizes.toClientBytes(),
              new RingWriter(RingMemory.attach(sizes.toServer(file.memory())), 0),
              sizes.toServerBytes());
    } catch (InternalError e) {
      fault = e;
    }
    // Also where nothing was reported: the JVM may do that later, or here.
    if (!file.isWhole() || rings == null) {
      RingViolationException cut =
          new RingViolationException("the listener has cut the file of the shared memory");
      if (fault != null) {
        cut.initCause(fault);
      }
      throw cut;
    }
    return rings;
  }
}
