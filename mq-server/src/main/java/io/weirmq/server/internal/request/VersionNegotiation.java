package io.weirmq.server.internal.request;

/**
 * Answers requests of versions that are not known; only ApiVersions does that.
 *
 * @param <P> generated class of the response
 */
public interface VersionNegotiation<P> {

  /** Returns the answer, which is encoded in version 0. */
  P unsupportedVersion();
}
