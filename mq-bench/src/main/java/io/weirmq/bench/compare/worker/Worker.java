package io.weirmq.bench.compare.worker;

import java.util.Map;

/**
 * The work of a process. A public class with a public constructor that takes {@link
 * io.weirmq.bench.compare.Settings}. Confined to one thread, but for what libraries call from
 * theirs.
 */
public interface Worker {

  /**
   * Opens what is needed; returns when others can rely on it.
   *
   * @return facts for the processes that are started later, such as a port
   */
  Map<String, String> prepare() throws Exception;

  /** Works; not called in helpers. */
  Outcome run(Progress progress) throws Exception;

  /** Closes what was opened. */
  void close() throws Exception;

  /** Tells the driver where the counted time begins and ends. Safe for use by several threads. */
  interface Progress {

    /** The warm-up is over. */
    void measuring();

    /** The counted time is over. */
    void measured();
  }
}
