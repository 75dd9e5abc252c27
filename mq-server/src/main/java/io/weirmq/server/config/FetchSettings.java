package io.weirmq.server.config;

/**
 * Settings of Fetch. Immutable.
 *
 * @param responseBytesMax the largest response in bytes, but for the first batch
 * @param sessionsMax fetch sessions that are kept, 0 for none
 */
public record FetchSettings(int responseBytesMax, int sessionsMax) {

  static FetchSettings of(ConfigValues values) {
    return new FetchSettings(
        values.intValue(NetworkKeys.FETCH_BYTES_MAX),
        values.intValue(NetworkKeys.FETCH_SESSIONS_MAX));
  }
}
