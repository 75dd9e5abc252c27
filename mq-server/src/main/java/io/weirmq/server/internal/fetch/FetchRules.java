package io.weirmq.server.internal.fetch;

/**
 * What holds for all partitions of one fetch. Immutable.
 *
 * @param version version of the request
 * @param readCommitted whether the client sees decided transactions only
 * @param minBytes the number of bytes worth an answer
 * @param maxBytes upper bound of all records in bytes
 * @param maxWaitMs how long the client waits for {@code minBytes}, milliseconds
 */
record FetchRules(
    short version, boolean readCommitted, int minBytes, int maxBytes, long maxWaitMs) {

  /** The version from which on topics are named by id. */
  static final short FIRST_VERSION_BY_ID = 13;

  /** The version from which on clients know zstd. */
  private static final short FIRST_VERSION_WITH_ZSTD = 10;

  /** The version from which on clients know that storage can fail. */
  private static final short FIRST_VERSION_WITH_STORAGE_ERROR = 6;

  boolean byTopicId() {
    return version >= FIRST_VERSION_BY_ID;
  }

  boolean knowsZstd() {
    return version >= FIRST_VERSION_WITH_ZSTD;
  }

  boolean knowsStorageError() {
    return version >= FIRST_VERSION_WITH_STORAGE_ERROR;
  }
}
