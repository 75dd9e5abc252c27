package io.weirmq.storage;

/** Told when a thread of the storage engine ends for good; decides what becomes of the process. */
@FunctionalInterface
public interface FatalErrorHandler {

  /**
   * Called once, on the thread that ends, after everybody who waited for it was answered.
   *
   * @param component names the pipeline or thread
   * @param error what ended it
   */
  void onFatalError(String component, Throwable error);
}
