package io.weirmq.storage.internal.epoch;

/**
 * The start of a leader epoch. Immutable.
 *
 * @param epoch leader epoch, 0 or more
 * @param startOffset offset of the first record that was, or will be, appended in it
 */
public record EpochStart(int epoch, long startOffset) {

  /** Checks the parts. */
  public EpochStart {
    if (epoch < 0 || startOffset < 0) {
      throw new IllegalArgumentException(
          "epoch %d with start offset %d; both must be 0 or more".formatted(epoch, startOffset));
    }
  }
}
