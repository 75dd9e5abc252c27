package io.weirmq.storage;

/** Receives the outcome of an append; must not block. */
@FunctionalInterface
public interface AppendCallback {

  /** Called once. */
  void onResult(AppendResult result);
}
