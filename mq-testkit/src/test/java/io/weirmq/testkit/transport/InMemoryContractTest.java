package io.weirmq.testkit.transport;

import io.weirmq.testkit.time.ThreadScheduler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.util.concurrent.atomic.AtomicInteger;

/** The transport contract over the in-memory network, driven by a thread. */
final class InMemoryContractTest extends TransportContract {

  private final ThreadScheduler scheduler =
      new ThreadScheduler(System::nanoTime, InMemoryContractTest::newThread);
  private final InMemoryNetwork network = new InMemoryNetwork(scheduler);
  private final AtomicInteger nodes = new AtomicInteger();

  @Override
  protected Transport open(TransportOptions options) {
    return network.provider("node-" + nodes.getAndIncrement()).open(options);
  }

  @Override
  protected Endpoint endpoint() {
    return new Endpoint(InMemoryNetwork.SCHEME, "localhost", 0);
  }

  private static Thread newThread(Runnable task) {
    Thread thread = new Thread(task, "memory-network");
    thread.setDaemon(true);
    return thread;
  }
}
