package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.RejectedAppendException;
import org.jspecify.annotations.Nullable;

/**
 * Where a pipeline is in its life: open, closing, ended. It only moves forward. Safe for use by
 * several threads.
 */
final class PipelineState {

  private final String name;

  private volatile boolean isClosing;
  private volatile boolean hasEnded;
  private volatile @Nullable Throwable failure;

  PipelineState(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  boolean isClosing() {
    return isClosing;
  }

  boolean hasEnded() {
    return hasEnded;
  }

  void beginClosing() {
    isClosing = true;
  }

  void fail(Throwable error) {
    failure = error;
    isClosing = true;
  }

  void end() {
    isClosing = true;
    hasEnded = true;
  }

  /** The refusal of what comes after the end. */
  RejectedAppendException closedRefusal() {
    Throwable error = failure;
    RejectedAppendException refusal =
        new RejectedAppendException(
            "pipeline %s is closed%s".formatted(name, error == null ? "" : " by " + error), false);
    if (error != null) {
      refusal.initCause(error);
    }
    return refusal;
  }

  /** The refusal of what finds no room. */
  RejectedAppendException fullRefusal(int ringSize) {
    return new RejectedAppendException(
        "ring of pipeline %s is full: %d events wait".formatted(name, ringSize), true);
  }
}
