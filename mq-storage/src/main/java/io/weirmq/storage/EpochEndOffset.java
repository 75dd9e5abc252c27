package io.weirmq.storage;

/**
 * The answer to "where does this leader epoch end": the epoch that is meant and the offset behind
 * its last record. Immutable.
 *
 * @param epoch leader epoch, -1 where undefined
 * @param endOffset offset behind the last record of the epoch, -1 where undefined
 */
public record EpochEndOffset(int epoch, long endOffset) {

  /** Nothing is known of the asked epoch. */
  public static final EpochEndOffset UNDEFINED = new EpochEndOffset(-1, -1);
}
