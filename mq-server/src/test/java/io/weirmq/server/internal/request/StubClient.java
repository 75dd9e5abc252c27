package io.weirmq.server.internal.request;

import io.weirmq.transport.Peer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A client's connection as handlers see it, without a transport: its I/O thread is the test's,
 * which runs its tasks when it says so. Confined to that thread, but for {@link #execute}.
 */
public final class StubClient implements ClientConnection {

  private final String listenerName;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private boolean suspended;

  /** A client that came over a listener, from port 5000 of 10.0.0.9. */
  public StubClient(String listenerName) {
    this.listenerName = listenerName;
  }

  /** Runs what waits for the I/O thread, and what that leaves for it. */
  public void runTasks() {
    for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
      next.run();
    }
  }

  /** Whether requests are held back. */
  public boolean isSuspended() {
    return suspended;
  }

  @Override
  public long id() {
    return 1;
  }

  @Override
  public Peer peer() {
    return Peer.ofAddress("10.0.0.9", 5000);
  }

  @Override
  public String listenerName() {
    return listenerName;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public void suspendRequests() {
    suspended = true;
  }

  @Override
  public void resumeRequests() {
    suspended = false;
  }

  @Override
  public void close() {}
}
