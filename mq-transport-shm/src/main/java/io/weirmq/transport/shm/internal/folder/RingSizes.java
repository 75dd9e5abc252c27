package io.weirmq.transport.shm.internal.folder;

import io.weirmq.transport.shm.internal.ring.RingMemory;
import java.nio.ByteBuffer;

/**
 * The two rings of a connection's file, one behind the other. Immutable.
 *
 * @param toServerBytes capacity of the ring in which the connecting side writes; a power of two
 * @param toClientBytes capacity of the ring in which the listening side writes; a power of two
 */
public record RingSizes(int toServerBytes, int toClientBytes) {

  /** The length of the file in bytes. */
  public long fileBytes() {
    return 2L * RingMemory.HEADER_BYTES + toServerBytes + toClientBytes;
  }

  /** The part of the mapped file in which the connecting side writes. */
  public ByteBuffer toServer(ByteBuffer mapped) {
    return mapped.slice(0, RingMemory.HEADER_BYTES + toServerBytes);
  }

  /** The part of the mapped file in which the listening side writes. */
  public ByteBuffer toClient(ByteBuffer mapped) {
    int start = RingMemory.HEADER_BYTES + toServerBytes;
    return mapped.slice(start, RingMemory.HEADER_BYTES + toClientBytes);
  }
}
