package io.weirmq.server.internal.fetch;

/** A long poll under way. */
interface DelayedAnswer {

  /** Has it answered with what there is. From any thread. */
  void finishSoon();
}
