package io.weirmq.replication.metadata;

/**
 * A range of producer ids that belongs to one broker for ever. Immutable.
 *
 * @param first the first id, 0 or more
 * @param size the number of ids, 1 or more
 */
public record ProducerIdBlock(long first, int size) {

  /** Number of ids in a block. */
  public static final int BLOCK_SIZE = 1000;

  /** Checks the range. */
  public ProducerIdBlock {
    if (first < 0 || size < 1 || first > Long.MAX_VALUE - size) {
      throw new IllegalArgumentException(
          "producer ids %d + %d are outside of 0..2^63-1".formatted(first, size));
    }
  }

  /** Returns the id behind the last one. */
  public long end() {
    return first + size;
  }
}
