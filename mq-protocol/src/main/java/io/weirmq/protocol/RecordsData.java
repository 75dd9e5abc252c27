package io.weirmq.protocol;

import io.weirmq.transport.FileSlice;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The record batches of one partition in a message: bytes in memory, or ranges of files that go out
 * without being read.
 *
 * <p>A decoded message has {@link Buffers} that are slices of its frame and live as long as the
 * frame. An encoded message hands its parts to the outbound frame, which releases file slices.
 * Immutable; the bytes are not.
 */
public sealed interface RecordsData {

  /** No bytes at all, which is not the same as null on the wire. */
  static RecordsData empty() {
    return Buffers.NONE;
  }

  /**
   * Record batches in memory.
   *
   * @param buffer from its position to its limit; borrowed, and neither moved nor copied
   */
  static RecordsData of(ByteBuffer buffer) {
    return new Buffers(List.of(buffer));
  }

  /**
   * Record batches in a file.
   *
   * @param slice transferred to the frame when the message is encoded
   */
  static RecordsData of(FileSlice slice) {
    return new Files(List.of(slice));
  }

  /** The number of bytes. */
  long sizeInBytes();

  /** Whether there is no byte. */
  default boolean isEmpty() {
    return sizeInBytes() == 0;
  }

  /**
   * Record batches in memory. Equal where the buffers hold the same bytes in the same pieces.
   *
   * @param buffers each from its position to its limit, in order
   */
  record Buffers(List<ByteBuffer> buffers) implements RecordsData {

    static final Buffers NONE = new Buffers(List.of());

    /** Copies the list, not the buffers. */
    public Buffers {
      buffers = List.copyOf(buffers);
    }

    @Override
    public long sizeInBytes() {
      long sum = 0;
      for (ByteBuffer buffer : buffers) {
        sum += buffer.remaining();
      }
      return sum;
    }

    /** The size only: records do not belong into a log. */
    @Override
    public String toString() {
      return sizeInBytes() + " bytes in memory";
    }
  }

  /**
   * Record batches in files.
   *
   * @param slices ranges of open files, in order
   */
  record Files(List<FileSlice> slices) implements RecordsData {

    /** Copies the list, not the slices. */
    public Files {
      slices = List.copyOf(slices);
    }

    @Override
    public long sizeInBytes() {
      long sum = 0;
      for (FileSlice slice : slices) {
        sum += slice.lengthBytes();
      }
      return sum;
    }

    /** The size only: records do not belong into a log. */
    @Override
    public String toString() {
      return sizeInBytes() + " bytes in files";
    }
  }
}
