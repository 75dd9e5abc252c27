package io.weirmq.transport.shm;

import io.weirmq.testkit.transport.TransportContract;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.PolledTransport;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import java.io.IOException;
import java.util.concurrent.CompletionStage;

/** The transport contract over shared memory without threads, polled by one of the test. */
final class PolledContractTest extends TransportContract {

  private static final long POLL_MILLIS = 60_000;

  @Override
  protected Transport open(TransportOptions options) {
    return new Polling(new ShmTransportProvider().openPolled(options).orElseThrow());
  }

  @Override
  protected Endpoint endpoint() {
    return TestFolder.endpoint(TestFolder.fresh());
  }

  /** Polls until it is closed. */
  private static final class Polling implements Transport {
    private final PolledTransport polled;
    private final Thread thread = new Thread(this::pollOn, "contract-poll");
    private volatile boolean ended;

    Polling(PolledTransport polled) {
      this.polled = polled;
      thread.start();
    }

    private void pollOn() {
      while (!ended) {
        polled.poll(POLL_MILLIS);
      }
    }

    @Override
    public Listener listen(Endpoint endpoint, ConnectionHandler.Factory handlers)
        throws IOException {
      return polled.listen(endpoint, handlers);
    }

    @Override
    public CompletionStage<Connection> connect(Endpoint endpoint, ConnectionHandler handler) {
      return polled.connect(endpoint, handler);
    }

    @Override
    public void close() {
      polled.close(); // refused where a callback calls, and else done with the help of the thread
      ended = true;
      polled.wakeup();
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError("interrupted while the polling thread ends", e);
      }
    }
  }
}
