package io.weirmq.storage.internal.producer;

import io.weirmq.storage.AbortedTransaction;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The entries of a {@code .txnindex} file.
 *
 * <pre>
 *   offset size
 *        0    2 version 0              (big-endian)
 *        2    8 producerId
 *       10    8 firstOffset
 *       18    8 lastOffset             of the ABORT marker
 *       26    8 lastStableOffset       when the marker was written
 * </pre>
 */
public final class AbortedTransactionFormat {

  /** Bytes of an entry. */
  public static final int ENTRY_BYTES = 34;

  private static final short VERSION = 0;

  private AbortedTransactionFormat() {}

  /**
   * Writes an entry at the buffer's position and moves that behind it.
   *
   * @param target big-endian, with {@link #ENTRY_BYTES} remaining
   */
  public static void write(AbortedTransaction entry, ByteBuffer target) {
    target
        .putShort(VERSION)
        .putLong(entry.producerId())
        .putLong(entry.firstOffset())
        .putLong(entry.lastOffset())
        .putLong(entry.lastStableOffset());
  }

  /**
   * Reads the entry at an index of the buffer, which is left as it is.
   *
   * @param source big-endian, with {@link #ENTRY_BYTES} from the index to its limit
   * @return empty where the bytes are no entry: an unknown version, negative offsets, or a first
   *     offset that does not lie before the last, which is the marker's
   */
  public static Optional<AbortedTransaction> read(ByteBuffer source, int index) {
    AbortedTransaction entry =
        new AbortedTransaction(
            source.getLong(index + 2),
            source.getLong(index + 10),
            source.getLong(index + 18),
            source.getLong(index + 26));
    boolean plausible =
        source.getShort(index) == VERSION
            && entry.producerId() >= 0
            && entry.firstOffset() >= 0
            && entry.firstOffset() < entry.lastOffset()
            && entry.lastStableOffset() >= 0;
    return plausible ? Optional.of(entry) : Optional.empty();
  }
}
