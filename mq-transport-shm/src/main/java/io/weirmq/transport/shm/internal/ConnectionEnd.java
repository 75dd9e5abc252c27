package io.weirmq.transport.shm.internal;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a connection, step by step.
 *
 * <p>Where the peer has cut the file of the shared memory, the JVM may report the fault within any
 * step or between two, and none of the others may be left out. Then the end is run again and goes
 * on where it was interrupted. Confined to the connection's loop.
 */
final class ConnectionEnd {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionEnd.class);

  private final ShmConnection connection;
  private final List<Runnable> steps;
  private int next;

  /**
   * Makes an end that has not begun.
   *
   * @param steps in order; each is begun once. What one throws is logged
   */
  ConnectionEnd(ShmConnection connection, Runnable... steps) {
    this.connection = connection;
    this.steps = List.of(steps);
  }

  /** Takes the steps that were not begun yet. */
  void run() {
    while (next < steps.size()) {
      int step = next++;
      try {
        steps.get(step).run();
      } catch (Throwable e) {
        LOG.warn(
            "step {} of the end failed, peer={}, endpoint={}",
            step,
            connection.peer(),
            connection.endpoint(),
            e);
      }
    }
  }
}
